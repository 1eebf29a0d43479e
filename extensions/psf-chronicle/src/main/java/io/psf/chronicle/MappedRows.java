package io.psf.chronicle;

import java.nio.MappedByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * Brings rows of a mapped file into memory before they are accessed. The lane that calls accesses a few rows, and looks
 * at the clock: if they were in memory, so are most others. If it has waited for the disk, several threads access the
 * rest side by side.
 *
 * <p>The system also reads the pages around a missing page: 128 KB or more for a row of some hundred bytes. With
 * {@link Advice} it does not, and an access is the read of a byte. Without, an access is {@link MappedByteBuffer#load}
 * of the row's pages, which reads exactly those. It is a call of the system, and another one finds out whether it is
 * needed.
 *
 * <p>As long as no row is missing, only samples are looked at. Not thread-safe.
 */
final class MappedRows {
    private static final int PAGE = 4096;

    /** Rows that a thread accesses between two looks at the clock, or claims at once. */
    private static final int SOME = 8;

    /** Some rows take longer than this if one of them is on the disk, and less if they are in memory. */
    private static final int WAITED_NANOS = 40_000;

    /** The rows without a missing one after which the rows are sampled. */
    private static final int QUIET = 1 << 16;

    /** Of so many rows one is accessed, as a sample. */
    private static final int SAMPLED = 128;

    private final MappedByteBuffer bytes;
    private final PageLoader loader;
    private boolean isAsked;
    private boolean isAdvised;
    /** The rows since a missing one. */
    private int quiet;
    /** The calls that were sampled. */
    private int samples;

    MappedRows(MappedByteBuffer bytes, PageLoader loader) {
        this.bytes = bytes;
        this.loader = loader;
    }

    /** Loads rows at random, as {@link io.psf.runtime.spi.store.Allocation#loadRows}. */
    void load(int[] rows, int first, int n, int bytesOfRow) {
        if (!loader.isCrowded()) {
            return;
        }
        if (!isAsked) {
            isAsked = true;
            isAdvised = Advice.random(ChronicleMemory.address(bytes), bytes.capacity());
        }
        if (quiet >= QUIET && !isOneMissing(rows, first, n, bytesOfRow)) {
            return;
        }
        boolean found = new Load(rows, first, first + n, bytesOfRow, Thread.currentThread()).run();
        quiet = found ? Math.min(QUIET, quiet + n) : 0;
    }

    private boolean isOneMissing(int[] rows, int first, int n, int bytesOfRow) {
        for (int i = first + (samples++ & SAMPLED - 1); i < first + n; i += SAMPLED) {
            if (rows[i] >= 0 && !bytes.slice(rows[i] * bytesOfRow, bytesOfRow).isLoaded()) {
                return true;
            }
        }
        return false;
    }

    /** Loads bytes that are read from the first to the last. Without the advice, the system reads ahead by itself. */
    void load(int begin, int end) {
        if (isAdvised && begin < end && loader.isCrowded()) {
            var unused = bytes.slice(begin, end - begin).load();
        }
    }

    /** The rows of one call. */
    private final class Load {
        private final int[] rows;
        private final int end;
        private final int bytesOfRow;
        private final Thread lane;
        private final AtomicInteger next;
        /** The rows that have not been accessed. */
        private final AtomicInteger left;

        /** True if a row was not in memory. Written by all threads, with the same value. */
        private volatile boolean missing;

        /** Makes the reads count. */
        private int unusedSum;

        Load(int[] rows, int begin, int end, int bytesOfRow, Thread lane) {
            this.rows = rows;
            this.end = end;
            this.bytesOfRow = bytesOfRow;
            this.lane = lane;
            this.next = new AtomicInteger(begin);
            this.left = new AtomicInteger(end - begin);
        }

        /**
         * Accesses all rows, and returns when they are in memory. Called by the lane.
         *
         * @return true if they were in memory, as far as it is known
         */
        boolean run() {
            boolean isShared = false;
            long before = System.nanoTime();
            while (accessSome()) {
                if (!isShared) {
                    long now = System.nanoTime();
                    isShared = now - before > WAITED_NANOS;
                    before = now;
                    if (isShared) {
                        loader.run(this::accessAll, left.get() / SOME);
                    }
                }
            }
            while (left.get() > 0) {
                LockSupport.park(this);
            }
            return isAdvised ? !isShared : !missing;
        }

        private void accessAll() {
            while (accessSome()) {
                // until all rows are claimed
            }
        }

        /** Accesses rows that no other thread has claimed. Returns false if there are none. */
        private boolean accessSome() {
            if (next.get() >= end) {
                return false;
            }
            int begin = next.getAndAdd(SOME);
            int some = Math.min(SOME, end - begin);
            if (some <= 0) {
                return false;
            }
            try {
                for (int i = begin; i < begin + some; i++) {
                    if (rows[i] >= 0) {
                        access(rows[i] * bytesOfRow);
                    }
                }
            } catch (InternalError e) {
                return true; // a page that cannot be read: the handler that accesses it fails
            } finally {
                if (left.addAndGet(-some) == 0) {
                    LockSupport.unpark(lane);
                }
            }
            return true;
        }

        private void access(int at) {
            if (isAdvised) {
                int found = bytes.get(at + bytesOfRow - 1);
                for (int i = 0; i < bytesOfRow; i += PAGE) {
                    found += bytes.get(at + i);
                }
                unusedSum = found;
                return;
            }
            MappedByteBuffer row = bytes.slice(at, bytesOfRow);
            if (!row.isLoaded()) {
                missing = true;
                var unused = row.load();
            }
        }
    }
}
