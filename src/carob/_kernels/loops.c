/* The loops that NumPy cannot run near the speed of memory. Arrays lie row by row; what each function does, and what its
   arguments hold, is said by the Python function of the same name. Nothing here allocates, fails or keeps anything. */

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "loops.h"

#if defined(_MSC_VER)
#include <intrin.h>
#define restrict __restrict
#define popcount(word) ((int64_t)__popcnt64(word))
#else
#define popcount(word) ((int64_t)__builtin_popcountll(word))
#endif

/* On x86 a function is compiled for several generations of processors, and the newest that runs is taken. */
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__linux__)
#define FAST __attribute__((target_clones("avx2", "default")))
#else
#define FAST
#endif

enum { CHUNK = 4096 }; /* points at a time, in the first cache */
enum { NEAR = 1 << 18 }; /* bytes that stay in the second cache beside others */
enum { VOTES = 1, SCORES = 2 }; /* what a source counts for in a summary, as in summary.py */
enum { KINDS = 3 }; /* of points: with one vote, with several that are the same, and with others */
enum { HASHED = 256 }; /* points at a time whose hashes times outputs thirty-two bits can add up */
enum { FEW = 8 }; /* values that are looked for one after the other, which vectors do faster than a table */

static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

/* Column by column, as memory is read fastest in one go. */
FAST void pack(const int8_t *restrict columns, int64_t n, int64_t low, int64_t high, const int64_t *restrict source,
               const int8_t *restrict value, int64_t features, uint8_t *restrict octets, int64_t width) {
    uint8_t flags[CHUNK];
    for (int64_t first = 0, next; first < features; first = next) {
        for (next = first + 1; next < features && source[next] == source[first];) next++;
        for (int64_t start = low; start < high; start += CHUNK) {
            int64_t size = smaller(CHUNK, high - start);
            const int8_t *restrict column = columns + source[first] * n + start;
            int8_t least = column[0];
            for (int64_t t = 0; t < size; t++) least = column[t] < least ? column[t] : least;
            for (int64_t f = first; f < next; f++) {
                uint8_t *restrict octet = octets + f * width + (start - low) / 8;
                if (value[f] < least) { /* nothing said, in a chunk where everything is said */
                    for (int64_t t = 0; t < CHUNK / 8; t++) octet[t] = 0;
                    continue;
                }
                for (int64_t t = 0; t < size; t++) flags[t] = column[t] == value[f];
                for (int64_t t = size; t < CHUNK; t++) flags[t] = 0;
                /* Eight bytes of 0 or 1 become eight bits: the product brings byte k of a word to bit 56 + k. */
                for (int64_t t = 0; t < CHUNK / 8; t++) {
                    uint64_t eight;
                    memcpy(&eight, flags + 8 * t, 8);
                    octet[t] = (uint8_t)((eight * 0x0102040810204080u) >> 56);
                }
            }
        }
    }
}

/* a becomes the sum of three bits in every place, and *carry what is carried: ones become twos, twos fours. */
static inline uint64_t add_bits(uint64_t a, uint64_t b, uint64_t c, uint64_t *carry) {
    uint64_t odd = a ^ b;
    *carry = (a & b) | (odd & c);
    return odd ^ c;
}

/* How many bits two rows share. Eight words are added up bit by bit before any bit is counted, several such sums side by
   side, which every compiler turns into vectors. */
static inline int64_t common_bits(const uint64_t *restrict x, const uint64_t *restrict y, int64_t words) {
    enum { LANES = 4, STEP = 8 * LANES };
    uint64_t ones[LANES] = {0}, twos[LANES] = {0}, fours[LANES] = {0}, eights[LANES] = {0};
    int64_t w = 0, total = 0;
    for (; w + STEP <= words; w += STEP)
        for (int lane = 0; lane < LANES; lane++) {
            uint64_t both[8], two, other_two, four, other_four, eight;
            for (int k = 0; k < 8; k++) both[k] = x[w + k * LANES + lane] & y[w + k * LANES + lane];
            uint64_t one = add_bits(ones[lane], both[0], both[1], &two);
            one = add_bits(one, both[2], both[3], &other_two);
            uint64_t pair = add_bits(twos[lane], two, other_two, &four);
            one = add_bits(one, both[4], both[5], &two);
            ones[lane] = add_bits(one, both[6], both[7], &other_two);
            twos[lane] = add_bits(pair, two, other_two, &other_four);
            fours[lane] = add_bits(fours[lane], four, other_four, &eight);
            /* Counts of two, of four, of eight bits, and then of all bytes. */
            eight -= (eight >> 1) & 0x5555555555555555u;
            eight = (eight & 0x3333333333333333u) + ((eight >> 2) & 0x3333333333333333u);
            eight = (eight + (eight >> 4)) & 0x0f0f0f0f0f0f0f0fu;
            eight += eight >> 8;
            eight += eight >> 16;
            eight += eight >> 32;
            eights[lane] += eight & 127;
        }
    for (int lane = 0; lane < LANES; lane++)
        total += 8 * (int64_t)eights[lane] + 4 * popcount(fours[lane]) + 2 * popcount(twos[lane]) + popcount(ones[lane]);
    for (; w < words; w++) total += popcount(x[w] & y[w]);
    return total;
}

FAST void add_common_bits(const uint64_t *restrict planes, int64_t rows, int64_t width, int64_t words,
                          uint64_t *restrict live, int64_t *restrict counts) {
    for (int64_t a = 0; a < rows; a++) {
        uint64_t any = 0;
        for (int64_t w = 0; w < words; w++) any |= planes[a * width + w];
        live[a] = any;
    }
    /* Some rows at a time, which stay in the second cache while all others pass by. */
    int64_t some = NEAR / (8 * words) + 1;
    for (int64_t first = 0; first < rows; first += some) {
        int64_t last = smaller(first + some, rows);
        for (int64_t a = 0; a < last; a++) {
            if (!live[a]) continue;
            for (int64_t b = a < first ? first : a; b < last; b++) {
                if (!live[b]) continue;
                counts[a * rows + b] += common_bits(planes + a * width, planes + b * width, words);
            }
        }
    }
}

void add_entry_pairs(const int64_t *restrict start, const int64_t *restrict feature, const int64_t *restrict points,
                     int64_t number, int64_t *restrict counts, int64_t features) {
    for (int64_t k = 0; k < number; k++)
        for (int64_t a = start[points[k]]; a < start[points[k] + 1]; a++)
            for (int64_t b = a; b < start[points[k] + 1]; b++) counts[feature[a] * features + feature[b]]++;
}

/* Points are added one after the other, so that a sum has the same bits whoever works it out; the processor works on the
   sums of several sources meanwhile. */
static inline void add_weights_of(const int8_t *restrict columns, int64_t sources, const double *restrict weights,
                                  int64_t n, int64_t K, double *restrict total, int64_t outputs) {
    for (int64_t t = 0; t < n; t++)
        for (int64_t i = 0; i < sources; i++) {
            double *restrict sums = total + (i * outputs + columns[i * n + t] + 1) * K;
            for (int64_t y = 0; y < K; y++) sums[y] += weights[y * n + t];
        }
}

void add_weights(const int8_t *restrict columns, int64_t m, const double *restrict weights, int64_t n, int64_t K,
                 double *restrict total, int64_t outputs) {
    enum { SOURCES = 4 };
    for (int64_t i = 0; i < m; i += SOURCES) {
        const int8_t *some = columns + i * n;
        double *sums = total + i * outputs * K;
        if (m - i >= SOURCES && K == 2)
            add_weights_of(some, SOURCES, weights, n, 2, sums, outputs);
        else
            add_weights_of(some, smaller(SOURCES, m - i), weights, n, K, sums, outputs);
    }
}

FAST void add_tally(const int8_t *restrict columns, int64_t m, int64_t n, int64_t low, int64_t high,
                    int64_t *restrict tally, int64_t K) {
    const int64_t most = 60000; /* sources that are counted before sixteen bits are full */
    uint16_t room[CHUNK];
    for (int64_t start = low; start < high; start += CHUNK) {
        int64_t size = smaller(CHUNK, high - start);
        for (int64_t y = 0; y < K; y++)
            for (int64_t first = 0; first < m; first += most) {
                for (int64_t t = 0; t < size; t++) room[t] = 0;
                for (int64_t i = first; i < smaller(first + most, m); i++) {
                    const int8_t *restrict column = columns + i * n + start;
                    for (int64_t t = 0; t < size; t++) room[t] += column[t] == (int8_t)y;
                }
                for (int64_t t = 0; t < size; t++) tally[(start - low + t) * K + y] += room[t];
            }
    }
}

/* A hash of a row number, the finalizer of splitmix64, as in carob.votes.counts. */
static inline uint64_t row_hash(uint64_t row) {
    uint64_t x = (row + 1) * 0x9E3779B97F4A7C15u;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return x ^ (x >> 31);
}

FAST void row_hashes(const int64_t *restrict row, int64_t n, uint16_t *restrict out) {
    for (int64_t t = 0; t < n; t++) out[t] = (uint16_t)(row_hash((uint64_t)row[t]) >> 48);
}

/* Add every source's sum of hash times output over at most HASHED points, of which the first has this row number. Hashes
   are cut into four signed numbers of sixteen bits, whose products with an output vectors add up in thirty-two. */
static inline void add_prints(const int8_t *restrict columns, int64_t m, int64_t n, int64_t size, uint64_t row,
                              uint64_t *restrict prints) {
    enum { PIECES = 4, HALF = 1 << 15 };
    int16_t piece[PIECES][HASHED], said[HASHED];
    for (int64_t t = 0; t < size; t++) {
        uint64_t hash = row_hash(row + (uint64_t)t);
        for (int k = 0; k < PIECES; k++) piece[k][t] = (int16_t)((int32_t)((hash >> (16 * k)) & 0xffff) - HALF);
    }
    for (int64_t i = 0; i < m; i++) {
        int32_t all = 0;
        for (int64_t t = 0; t < size; t++) {
            said[t] = (int16_t)(columns[i * n + t] + 1);
            all += said[t];
        }
        for (int k = 0; k < PIECES; k++) {
            int32_t sum = 0;
            for (int64_t t = 0; t < size; t++) sum += (int32_t)piece[k][t] * said[t];
            prints[i] += (uint64_t)((int64_t)sum + (int64_t)HALF * all) << (16 * k);
        }
    }
}

/* On how many points of a whole chunk a value stands: on all, on those that one flag names, and on those of another. */
static inline void count_value(const int8_t *restrict column, int8_t value, const uint8_t *restrict one,
                               const uint8_t *restrict other, int64_t *restrict all, int64_t *restrict with_one,
                               int64_t *restrict with_other) {
    enum { LANES = 64 }; /* each counts CHUNK / LANES points, which eight bits hold */
    uint8_t counted[LANES] = {0}, counted_one[LANES] = {0}, counted_other[LANES] = {0};
    for (int64_t start = 0; start < CHUNK; start += LANES)
        for (int lane = 0; lane < LANES; lane++) {
            uint8_t same = column[start + lane] == value;
            counted[lane] += same;
            counted_one[lane] += same & one[start + lane];
            counted_other[lane] += same & other[start + lane];
        }
    *all = *with_one = *with_other = 0;
    for (int lane = 0; lane < LANES; lane++) {
        *all += counted[lane];
        *with_one += counted_one[lane];
        *with_other += counted_other[lane];
    }
}

FAST void add_summary(const int8_t *restrict columns, int64_t m, int64_t n, int64_t low, int64_t high,
                      uint64_t first_row, const uint8_t *restrict role, int64_t *restrict cast, int64_t outputs,
                      uint64_t *restrict prints, int64_t *restrict none) {
    uint8_t spoken[CHUNK], many[CHUNK], lowest[CHUNK], highest[CHUNK], heard[CHUNK], differ[CHUNK];
    for (int64_t start = low; start < high; start += CHUNK) {
        int64_t size = smaller(CHUNK, high - start);
        for (int64_t t = 0; t < size; t++) {
            spoken[t] = many[t] = highest[t] = heard[t] = 0;
            lowest[t] = 255;
        }
        for (int64_t i = 0; i < m; i++) {
            const int8_t *restrict column = columns + i * n + start;
            if (role[i] == VOTES)
                for (int64_t t = 0; t < size; t++) {
                    uint8_t value = (uint8_t)(column[t] + 1), here = value != 0, below = (uint8_t)(value - 1);
                    many[t] |= spoken[t] & here;
                    spoken[t] |= here;
                    highest[t] = highest[t] < value ? value : highest[t];
                    lowest[t] = lowest[t] < below ? lowest[t] : below; /* of silence 255 */
                }
            else if (role[i] == SCORES)
                for (int64_t t = 0; t < size; t++) heard[t] |= column[t] >= 0;
        }
        int64_t silent = 0, several = 0, others = 0;
        for (int64_t t = 0; t < size; t++) {
            differ[t] = ((uint8_t)(lowest[t] + 1) != highest[t]) & spoken[t];
            silent += (spoken[t] | heard[t]) == 0;
            several += many[t];
            others += differ[t];
        }
        *none += silent;
        for (int64_t first = start; first < start + size; first += HASHED)
            add_prints(columns + first, m, n, smaller(HASHED, start + size - first), first_row + (uint64_t)first, prints);
        for (int64_t i = 0; i < m; i++) {
            const int8_t *restrict column = columns + i * n + start;
            int64_t *restrict of_source = cast + i * KINDS * outputs;
            if (size < CHUNK || outputs > FEW) {
                for (int64_t t = 0; t < size; t++)
                    of_source[(many[t] + differ[t]) * outputs + (uint8_t)(column[t] + 1)]++;
                continue;
            }
            int64_t left[KINDS] = {size - several, several - others, others};
            for (int64_t value = 1; value < outputs; value++) {
                int64_t all, with_many, with_others;
                count_value(column, (int8_t)(value - 1), many, differ, &all, &with_many, &with_others);
                int64_t found[KINDS] = {all - with_many, with_many - with_others, with_others};
                for (int64_t kind = 0; kind < KINDS; kind++) {
                    of_source[kind * outputs + value] += found[kind];
                    left[kind] -= found[kind];
                }
            }
            for (int64_t kind = 0; kind < KINDS; kind++) of_source[kind * outputs] += left[kind]; /* nothing said */
        }
    }
}

/* Whether all bytes of at most a chunk are among a few known values; where they are, out holds the code of each. */
static inline int all_known(const uint8_t *restrict octets, int64_t size, const uint8_t *restrict known, int64_t number,
                            const int8_t *restrict table, int8_t *restrict out) {
    uint8_t found[CHUNK] = {0}, all = 1;
    for (int64_t k = 0; k < number; k++) {
        uint8_t value = known[k];
        int8_t code = table[value];
        for (int64_t t = 0; t < size; t++) {
            uint8_t same = octets[t] == value;
            out[t] = same ? code : out[t];
            found[t] |= same;
        }
    }
    for (int64_t t = 0; t < size; t++) all &= found[t];
    return all;
}

/* The same of values that follow each other, as -1, 0, 1 do in eight bits, and whose codes do so, too. */
static inline int all_between(const uint8_t *restrict octets, int64_t size, uint8_t first, uint8_t last, int8_t code,
                              int8_t *restrict out) {
    uint8_t shift = (uint8_t)code - first, width = last - first, beyond = 0;
    for (int64_t t = 0; t < size; t++) {
        beyond |= (uint8_t)(octets[t] - first) > width;
        out[t] = (int8_t)(octets[t] + shift);
    }
    return !beyond;
}

FAST void look_up(const uint8_t *restrict octets, int64_t n, const int8_t *restrict table, int8_t *restrict out,
                  uint8_t *restrict seen) {
    uint8_t known[FEW];
    int64_t number = 0; /* of values seen so far; FEW + 1 where there are more */
    int follow = 0; /* whether these, and their codes, follow each other */
    for (int64_t start = 0; start < n; start += CHUNK) {
        int64_t size = smaller(CHUNK, n - start);
        const uint8_t *here = octets + start;
        if (0 < number && number <= FEW &&
            (follow ? all_between(here, size, known[0], known[number - 1], table[known[0]], out + start)
                    : all_known(here, size, known, number, table, out + start)))
            continue;
        for (int64_t t = start; t < start + size; t++) {
            out[t] = table[octets[t]];
            seen[octets[t]] = 1;
        }
        number = 0;
        for (int64_t value = -128; value < 128 && number <= FEW; value++)
            if (seen[(uint8_t)value]) {
                if (number < FEW) known[number] = (uint8_t)value;
                number++;
            }
        follow = 1;
        for (int64_t k = 1; k < smaller(number, FEW); k++)
            follow &= (uint8_t)(known[k] - known[k - 1]) == 1 && table[known[k]] == table[known[k - 1]] + 1;
    }
}

FAST void add_tables(const int8_t *restrict columns, int64_t n, int64_t low, int64_t high,
                     const int64_t *restrict groups, int64_t number, int64_t width, const uint16_t *restrict sizes,
                     const double *restrict tables, int64_t entries, double *restrict total) {
    uint16_t place[CHUNK];
    for (int64_t start = low; start < high; start += CHUNK) {
        int64_t size = smaller(CHUNK, high - start);
        for (int64_t g = 0; g < number; g++) {
            for (int64_t t = 0; t < size; t++) place[t] = 0;
            for (int64_t j = 0; j < width; j++) {
                int64_t i = groups[g * width + j];
                if (i < 0) continue;
                const int8_t *restrict column = columns + i * n + start;
                uint16_t base = sizes[i];
                for (int64_t t = 0; t < size; t++) place[t] = (uint16_t)(place[t] * base) + (uint16_t)(column[t] + 1);
            }
            const double *restrict table = tables + g * entries;
            double *restrict sum = total + (start - low);
            for (int64_t t = 0; t < size; t++) sum[t] += table[place[t]];
        }
    }
}

FAST void two_class_probabilities(const double *restrict odds, const double *restrict small, int64_t n,
                                  double *restrict out) {
    for (int64_t t = 0; t < n; t++) {
        double high = 1.0 / (1.0 + small[t]), low = small[t] * high;
        out[2 * t] = odds[t] >= 0 ? low : high;
        out[2 * t + 1] = odds[t] >= 0 ? high : low;
    }
}

FAST void pool_votes(const int8_t *restrict columns, int64_t n, const int64_t *restrict pool, int64_t sources,
                     uint16_t *restrict tally, int64_t K, uint16_t *restrict most, int8_t *restrict said) {
    for (int64_t t = 0; t < n; t++) most[t] = 0, said[t] = 0;
    for (int64_t t = 0; t < K * n; t++) tally[t] = 0;
    for (int64_t p = 0; p < sources; p++) {
        const int8_t *restrict column = columns + pool[p] * n;
        for (int64_t t = 0; t < n; t++)
            if (column[t] >= 0) tally[column[t] * n + t]++;
    }
    for (int64_t y = 0; y < K; y++)
        for (int64_t t = 0; t < n; t++) most[t] = most[t] < tally[y * n + t] ? tally[y * n + t] : most[t];
    for (int64_t p = sources - 1; p >= 0; p--) { /* the first of the pool comes last, and has the last word */
        const int8_t *restrict column = columns + pool[p] * n;
        for (int64_t t = 0; t < n; t++)
            if (column[t] >= 0 && tally[column[t] * n + t] == most[t]) said[t] = column[t] + 1;
    }
}

void add_joint(const int8_t *restrict said, const uint8_t *restrict block, int64_t n, int64_t outputs,
               const int64_t *restrict rows, int64_t width, int64_t *restrict counts, int64_t places) {
    for (int64_t t = 0; t < n; t++) {
        int64_t place = 0;
        for (int64_t j = 0; j < width; j++) place = place * outputs + said[rows[j] * n + t];
        counts[block[t] * places + place]++;
    }
}

/* Two numbers turned by an angle. */
static void turn(double *x, double *y, double cosine, double sine) {
    double old = *x;
    *x = cosine * old + sine * *y;
    *y = cosine * *y - sine * old;
}

void joint_rotation(double *restrict matrices, int64_t number, int64_t S, int64_t K, double *restrict rotation,
                    int64_t sweeps, double enough) {
    for (int64_t t = 0; t < number; t++) {
        double *restrict of_t = matrices + t * S * K * K, *restrict turned = rotation + t * K * K;
        double largest = INFINITY;
        for (int64_t sweep = 0; sweep < sweeps && !(largest < enough); sweep++) {
            largest = 0;
            for (int64_t p = 0; p < K; p++)
                for (int64_t q = p + 1; q < K; q++) {
                    double even = 0, odd = 0;
                    for (int64_t s = 0; s < S; s++) {
                        const double *matrix = of_t + s * K * K;
                        double apart = matrix[p * K + p] - matrix[q * K + q], off = 2 * matrix[p * K + q];
                        even += apart * apart - off * off;
                        odd += 2 * apart * off;
                    }
                    double angle = 0.5 * atan2(odd, even + sqrt(even * even + odd * odd));
                    double cosine = cos(angle), sine = sin(angle);
                    if (fabs(sine) > largest) largest = fabs(sine);
                    for (int64_t s = 0; s < S; s++) {
                        double *matrix = of_t + s * K * K;
                        for (int64_t r = 0; r < K; r++) turn(matrix + r * K + p, matrix + r * K + q, cosine, sine);
                        for (int64_t r = 0; r < K; r++) turn(matrix + p * K + r, matrix + q * K + r, cosine, sine);
                    }
                    for (int64_t r = 0; r < K; r++) turn(turned + r * K + p, turned + r * K + q, cosine, sine);
                }
        }
    }
}
