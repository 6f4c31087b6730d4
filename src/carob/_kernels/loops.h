/* What loops.c gives to Python; cffi reads these lines. */

void pack(const int8_t *columns, int64_t n, int64_t low, int64_t high, const int64_t *source, const int8_t *value,
          int64_t features, uint8_t *octets, int64_t width);
void add_common_bits(const uint64_t *planes, int64_t rows, int64_t width, int64_t words, uint64_t *live,
                     int64_t *counts);
void add_entry_pairs(const int64_t *start, const int64_t *feature, const int64_t *points, int64_t number,
                     int64_t *counts, int64_t features);
void add_weights(const int8_t *columns, int64_t m, const double *weights, int64_t n, int64_t K, double *total,
                 int64_t outputs);
void add_tally(const int8_t *columns, int64_t m, int64_t n, int64_t low, int64_t high, int64_t *tally,
               int64_t K);
void row_hashes(const int64_t *row, int64_t n, uint16_t *out);
void add_summary(const int8_t *columns, int64_t m, int64_t n, int64_t low, int64_t high, uint64_t first_row,
                 const uint8_t *role, int64_t *cast, int64_t outputs, uint64_t *prints, int64_t *none);
void look_up(const uint8_t *octets, int64_t n, const int8_t *table, int8_t *out, uint8_t *seen);
void add_tables(const int8_t *columns, int64_t n, int64_t low, int64_t high, const int64_t *groups, int64_t number,
                int64_t width, const uint16_t *sizes, const double *tables, int64_t entries, double *total);
void two_class_probabilities(const double *odds, const double *small, int64_t n, double *out);
void pool_votes(const int8_t *columns, int64_t n, const int64_t *pool, int64_t sources, uint16_t *tally, int64_t K,
                uint16_t *most, int8_t *said);
void add_joint(const int8_t *said, const uint8_t *block, int64_t n, int64_t outputs, const int64_t *rows,
               int64_t width, int64_t *counts, int64_t places);
void joint_rotation(double *matrices, int64_t number, int64_t S, int64_t K, double *rotation, int64_t sweeps,
                    double enough);
