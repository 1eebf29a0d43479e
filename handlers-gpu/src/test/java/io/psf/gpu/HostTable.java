package io.psf.gpu;

import io.psf.gpu.shard.RuleLaunches;

/** The memory of a growing table for the kernels, and the launches of its operations. */
final class HostTable {
    static final int NONE = -1;

    /** The end of the positions of a table with one slice. */
    static final long END = 1L << 62;

    private static final int ENTRY = 16;

    final HostKernels kernels;
    final int most;
    final long status;
    final long keysOfRows;

    private long entries;
    private int mask;

    /** The words of a shard's status. */
    record Status(int invalid, int full, int duplicates, int missing, int rows, int used) {}

    /**
     * A table without rows.
     *
     * @param entries a power of two
     * @param most the most rows
     */
    HostTable(HostKernels kernels, int entries, int most) {
        this.kernels = kernels;
        this.most = most;
        this.status = kernels.allocate(24);
        this.keysOfRows = kernels.allocate(8L * most);
        replaceIndex(entries);
    }

    private void replaceIndex(int size) {
        entries = kernels.allocate((size + 1L) * ENTRY);
        mask = size - 1;
    }

    Status status() {
        int[] words = kernels.ints(status, 6);
        return new Status(words[0], words[1], words[2], words[3], words[4], words[5]);
    }

    /** Begins a call: resets the words of the status that a call writes. */
    void begin() {
        kernels.write(status, 0, 0, 0, 0);
    }

    int rows() {
        return status().rows();
    }

    /** Checks keys, and empties claims. */
    void check(long keys, int n, long begin, long end, RuleLaunches.Taken claims) {
        kernels.launch("psf_check", keys, n, begin, end, status, claims.table(), claims.mask());
    }

    /** Finds or creates the rows of keys, whose values stay zeros. Returns the address of the rows, or of OF_ENTRY. */
    long findOrInsert(long keys, int n, RuleLaunches.Taken claims) {
        return findOrInsert(keys, n, claims, 0, 0, new HostGenerator(Distribution.CONSTANT, 0, 0, 0));
    }

    private long findOrInsert(
            long keys, int n, RuleLaunches.Taken claims, long values, int width, HostGenerator generator) {
        long rows = kernels.allocate(4L * n);
        long table = claims.table();
        int last = claims.mask();
        int spread = n % 3 == 0 ? 8 : 1; // both are used, with any numbers of keys
        kernels.launch(
                "psf_find_or_insert",
                generator.behind(
                        keys,
                        n,
                        entries,
                        (long) mask,
                        keysOfRows,
                        most,
                        rows,
                        table,
                        last,
                        status,
                        values,
                        width,
                        0,
                        spread));
        if (table == 0) {
            kernels.launch("psf_resolve", rows, n, entries);
        }
        return rows;
    }

    long entries() {
        return entries;
    }

    long mask() {
        return mask;
    }

    /** Finds or creates the rows of keys. */
    int[] insert(long... keys) {
        return insert(new HostGenerator(Distribution.CONSTANT, 0, 0, 0), 0, 0, keys);
    }

    /** Finds or creates the rows of keys, with initial values. */
    int[] insert(HostGenerator generator, long values, int width, long... keys) {
        begin();
        RuleLaunches.Taken none = new RuleLaunches.Taken(0, 0);
        return kernels.ints(findOrInsert(kernels.copy(keys), keys.length, none, values, width, generator), keys.length);
    }

    /** Finds the rows of keys. */
    int[] find(long... keys) {
        begin();
        long rows = kernels.allocate(4L * keys.length);
        kernels.launch("psf_find", kernels.copy(keys), keys.length, 0L, END, entries, (long) mask, rows, status);
        return kernels.ints(rows, keys.length);
    }

    /** Copies the rows of keys of width floats, in two pieces; a missing one is its initial values. */
    float[] pull(HostGenerator generator, long values, int width, long... keys) {
        begin();
        int n = keys.length;
        int half = n / 2;
        long of = kernels.copy(keys);
        long rows = kernels.allocate(4L * n);
        long into = kernels.allocate(4L * n * width);
        for (int first = 0; first < n; first += Math.max(1, half)) {
            int some = Math.min(Math.max(1, half), n - first);
            long piece = kernels.allocate(4L * some * width);
            kernels.launch(
                    "psf_pull_index",
                    values,
                    of,
                    n,
                    first,
                    some,
                    0L,
                    END,
                    entries,
                    (long) mask,
                    width,
                    0,
                    piece,
                    rows,
                    status);
            kernels.launch("psf_pull_missing", generator.behind(rows, of, first, some, width, 0, piece, status));
            kernels.write(into + 4L * first * width, kernels.ints(piece, some * width));
        }
        return kernels.floats(into, n * width);
    }

    /** The memory of a removal: bits of rows, and what is known of it. */
    record Doom(long rows, long removal) {}

    Doom doom() {
        return new Doom(kernels.allocate((most + 31L) / 32 * 4), kernels.allocate(16));
    }

    /** Removes keys. Returns the number of rows removed. */
    int remove(long values, int width, long... keys) {
        Doom doom = doom();
        long address = kernels.copy(keys);
        kernels.launch("psf_doom_keys", address, keys.length, entries, (long) mask, doom.rows(), doom.removal());
        return remove(doom, values, width);
    }

    /** Removes rows, and moves the last ones to the places of those that were removed. Returns their number. */
    int remove(Doom doom, long values, int width) {
        int before = rows();
        int removed = kernels.ints(doom.removal(), 1)[0];
        int after = before - removed;
        int room = Math.min(removed, after); // the kernel writes no more
        long from = kernels.allocate(4L * room);
        long to = kernels.allocate(4L * room);
        kernels.launch("psf_plan_moves", doom.rows(), before, from, to, doom.removal());
        int[] known = kernels.ints(doom.removal(), 3);
        if (known[1] != known[2]) {
            throw new IllegalStateException("rows that move: " + known[2] + " (expected: " + known[1] + ")");
        }
        kernels.launch("psf_remove_rows", doom.rows(), before, keysOfRows, entries, (long) mask);
        kernels.launch("psf_move_keys", keysOfRows, from, to, known[1], entries, (long) mask);
        kernels.launch("psf_move_rows", values, from, to, known[1], width, 0);
        kernels.write(status + 16, after);
        return removed;
    }

    /** Enters the keys of all rows into a new index. */
    void rehash(int size) {
        replaceIndex(size);
        int rows = rows();
        kernels.launch("psf_index", keysOfRows, rows, entries, (long) mask);
        kernels.write(status + 20, rows);
    }

    long[] keys() {
        return kernels.longs(keysOfRows, rows());
    }

    /** Returns the number of entries of the index that are in use. */
    int usedEntries() {
        long[] words = kernels.longs(entries, 2 * (mask + 2));
        int used = 0;
        for (int at = 0; at < words.length; at += 2) {
            used += words[at] == 0 ? 0 : 1;
        }
        return used;
    }
}
