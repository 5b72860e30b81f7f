/*
 * The limit for BitmapTags: the same bitmap in C. Eight bits a word, a word in 128 bytes, a hint for each thread.
 *
 * Question: how many acquires and releases a second do N threads make, all together, without other work?
 * Prints one line: threads, depth, million pairs a second; the same with a release that checks that the tag was held, as
 * BitmapTags does; and beside it an uncontended and a contended atomic add.
 *
 *   gcc -O2 -pthread -o /tmp/tags harness/c/tags.c && /tmp/tags THREADS DEPTH [SECONDS]
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { BITS = 8, SHIFT = 3, THREADS_MAX = 64 };

struct word {
    _Alignas(128) _Atomic uint64_t bits;
};

struct own {
    _Alignas(128) uint64_t pairs;
    int hint;
};

static struct word *words;
static int slots;
static struct own owns[THREADS_MAX];
static _Alignas(128) _Atomic int stop;
static _Alignas(128) _Atomic uint64_t shared;

static int acquire(int *hint) {
    int slot = *hint;
    for (int left = slots; left > 0; left--) {
        uint64_t seen = atomic_load(&words[slot].bits);
        while (~seen != 0) {
            uint64_t free = ~seen & -~seen;
            if (atomic_compare_exchange_strong(&words[slot].bits, &seen, seen | free)) {
                *hint = slot;
                return (slot << SHIFT) + __builtin_ctzll(free);
            }
        }
        slot = slot + 1 == slots ? 0 : slot + 1;
    }
    return -1;
}

static void release(int *hint, int tag) {
    int slot = tag >> SHIFT;
    atomic_fetch_and(&words[slot].bits, ~(UINT64_C(1) << (tag - (slot << SHIFT))));
    *hint = slot;
}

/* Must know what the word was: so it cannot be the single instruction that the other release is. */
static void release_checked(int *hint, int tag) {
    int slot = tag >> SHIFT;
    uint64_t bit = UINT64_C(1) << (tag - (slot << SHIFT));
    if ((atomic_fetch_and(&words[slot].bits, ~bit) & bit) == 0) {
        abort();
    }
    *hint = slot;
}

static void *pairs(void *argument) {
    struct own *own = argument;
    while (!atomic_load_explicit(&stop, memory_order_relaxed)) {
        int tag = acquire(&own->hint);
        if (tag >= 0) {
            release(&own->hint, tag);
            own->pairs++;
        }
    }
    return NULL;
}

static void *pairs_checked(void *argument) {
    struct own *own = argument;
    while (!atomic_load_explicit(&stop, memory_order_relaxed)) {
        int tag = acquire(&own->hint);
        if (tag >= 0) {
            release_checked(&own->hint, tag);
            own->pairs++;
        }
    }
    return NULL;
}

static void *adds_alone(void *argument) {
    struct own *own = argument;
    _Alignas(128) _Atomic uint64_t mine = 0;
    while (!atomic_load_explicit(&stop, memory_order_relaxed)) {
        atomic_fetch_add(&mine, 1);
        own->pairs++;
    }
    return NULL;
}

static void *adds_together(void *argument) {
    struct own *own = argument;
    while (!atomic_load_explicit(&stop, memory_order_relaxed)) {
        atomic_fetch_add(&shared, 1);
        own->pairs++;
    }
    return NULL;
}

/* Million rounds a second of all threads together. */
static double run(void *(*body)(void *), int threads, double seconds) {
    pthread_t ids[THREADS_MAX];
    struct timespec from, to, sleep = {(time_t)seconds, (long)((seconds - (time_t)seconds) * 1e9)};
    atomic_store(&stop, 0);
    clock_gettime(CLOCK_MONOTONIC, &from);
    for (int i = 0; i < threads; i++) {
        owns[i].pairs = 0;
        owns[i].hint = (int)((long)i * slots / threads);
        if (pthread_create(&ids[i], NULL, body, &owns[i]) != 0) {
            fprintf(stderr, "cannot start a thread: i=%d\n", i);
            exit(1);
        }
    }
    nanosleep(&sleep, NULL);
    atomic_store(&stop, 1);
    uint64_t sum = 0;
    for (int i = 0; i < threads; i++) {
        pthread_join(ids[i], NULL);
        sum += owns[i].pairs;
    }
    clock_gettime(CLOCK_MONOTONIC, &to);
    return sum / ((to.tv_sec - from.tv_sec) * 1e6 + (to.tv_nsec - from.tv_nsec) / 1e3);
}

int main(int argc, char **argv) {
    int threads = argc > 1 ? atoi(argv[1]) : 0;
    int depth = argc > 2 ? atoi(argv[2]) : 0;
    double seconds = argc > 3 ? atof(argv[3]) : 1;
    if (threads < 1 || threads > THREADS_MAX || depth < 1 || seconds <= 0) {
        fprintf(stderr, "usage: tags THREADS(1..%d) DEPTH [SECONDS]\n", THREADS_MAX);
        return 2;
    }
    slots = (depth + BITS - 1) >> SHIFT;
    words = aligned_alloc(128, slots * sizeof *words);
    if (words == NULL) {
        fprintf(stderr, "no memory: slots=%d\n", slots);
        return 1;
    }
    for (int slot = 0; slot < slots; slot++) {
        int bits = depth - (slot << SHIFT) < BITS ? depth - (slot << SHIFT) : BITS;
        atomic_init(&words[slot].bits, ~UINT64_C(0) << bits);
    }
    double bitmap = run(pairs, threads, seconds);
    double checked = run(pairs_checked, threads, seconds);
    double alone = run(adds_alone, threads, seconds);
    double together = run(adds_together, threads, seconds);
    printf("threads=%d depth=%d pairs=%.1f checked=%.1f atomic_add_alone=%.1f atomic_add_together=%.1f (million/s, all threads)\n",
           threads, depth, bitmap, checked, alone, together);
    return 0;
}
