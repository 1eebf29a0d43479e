package io.psf.builtin.cache;

import io.psf.api.Caller;
import io.psf.api.PsException;
import io.psf.api.TensorInfo;
import java.util.Arrays;

/**
 * A cache of rows, with the protocol of HET (Miao et al., VLDB 2022). Used by one thread.
 *
 * <p>An operation pins the lines of its keys, so a call with more keys than there are lines is processed in parts. The
 * version of a line counts the updates that its row contains. If updates are added to the cached row, a push does not
 * change the row, and the version grows by the pushed updates: the row lacks updates of others alone.
 */
public final class CachedRows implements RowAccess {
    private final TensorInfo table;
    private final int width;
    private final CacheOptions options;
    private final float scale;
    private final Lines lines;
    private final Traffic traffic;
    private final SentUpdates outgoing;
    private final Questions questions;
    private final Questions prefetch;
    /** The line of each position of a part. */
    private final int[] lineAt;
    /** The number of the last push of each line. */
    private final long[] pushedAt;
    /** The number of the look-up for which a prefetch has compared each line. */
    private final long[] comparedFor;

    /** The number of the next look-up. */
    private long lookUp = 1;
    /** The number of the last push of a line. */
    private long pushed;
    /** The number of the last push of a line before the prefetch. */
    private long pushedBeforePrefetch;

    /** Creates an empty cache. Sends nothing. */
    public CachedRows(Caller worker, TensorInfo table, CacheOptions options) {
        int capacity = options.lines();
        this.table = table;
        this.width = table.width();
        this.options = options;
        this.scale = options.scale();
        this.lines = new Lines(capacity, width, options.levels());
        this.traffic = new Traffic(table);
        this.outgoing = new SentUpdates(worker, table.id(), capacity, width, traffic);
        this.questions = new Questions(worker, table.id(), capacity, options.pullBound(), traffic);
        this.prefetch = new Questions(worker, table.id(), capacity, options.pullBound(), traffic);
        this.lineAt = new int[capacity];
        this.pushedAt = new long[capacity];
        this.comparedFor = new long[capacity];
    }

    @Override
    public void lookUp(long[] keys, float[] into) {
        outgoing.requireIntact();
        RowAccess.require(table, keys, "into", into);
        takePrefetched();
        for (int begin = 0; begin < keys.length; begin += lines.capacity()) {
            int n = Math.min(lines.capacity(), keys.length - begin);
            try {
                pin(keys, begin, n);
                traffic.lookedUp(lines.pins());
                fetch();
                for (int i = 0; i < n; i++) {
                    lines.copyRow(lineAt[i], into, (begin + i) * width);
                }
            } finally {
                lines.unpin();
            }
        }
        lookUp++;
    }

    @Override
    public void update(long[] keys, float[] gradients) {
        outgoing.requireIntact();
        RowAccess.require(table, keys, "gradients", gradients);
        for (int begin = 0; begin < keys.length; begin += lines.capacity()) {
            int n = Math.min(lines.capacity(), keys.length - begin);
            if (prefetch.isInFlight() && !hasAll(keys, begin, n)) {
                takePrefetched(); // before a line is evicted: the prefetched row may lack the updates of the line
            }
            try {
                pin(keys, begin, n);
                traffic.updated(lines.pins());
                for (int i = 0; i < n; i++) {
                    lines.update(lineAt[i], gradients, (begin + i) * width, scale);
                }
                for (int i = 0; i < lines.pins(); i++) {
                    if (lines.updates(lines.pinned(i)) > options.pushBound()) {
                        push(lines.pinned(i));
                    }
                }
                outgoing.send();
            } finally {
                lines.unpin();
            }
        }
    }

    @Override
    public void prefetch(long[] keys) {
        outgoing.requireIntact();
        RowAccess.requireRows(table, keys);
        takePrefetched();
        long[] sorted = keys.clone();
        Arrays.sort(sorted);
        prefetch.clear();
        for (int i = 0; i < sorted.length && prefetch.size() < lines.capacity(); i++) {
            if (i == 0 || sorted[i] != sorted[i - 1]) {
                int line = lines.find(sorted[i]);
                if (line < 0 || mayBeOld(line) && !isPushedFirst(line)) {
                    prefetch.add(sorted[i], line < 0 ? Lines.NONE : lines.version(line));
                }
            }
        }
        pushedBeforePrefetch = pushed;
        prefetch.send();
    }

    @Override
    public void flush() {
        outgoing.requireIntact();
        for (int line = 0; line < lines.size(); line++) {
            if (lines.updates(line) > 0) {
                push(line);
            }
        }
        outgoing.send();
        outgoing.await();
    }

    @Override
    public CacheCounters counters() {
        return traffic.counters();
    }

    private boolean hasAll(long[] keys, int begin, int n) {
        for (int i = begin; i < begin + n; i++) {
            if (lines.find(keys[i]) < 0) {
                return false;
            }
        }
        return true;
    }

    /** Pins the lines of some keys. Keys without a line get one; the updates of evicted lines are collected. */
    private void pin(long[] keys, int begin, int n) {
        boolean complete = true;
        for (int i = 0; i < n; i++) { // before a line is evicted: it may be one of these
            lineAt[i] = lines.find(keys[begin + i]);
            if (lineAt[i] >= 0) {
                lines.pin(lineAt[i]);
            }
            complete &= lineAt[i] >= 0;
        }
        for (int i = 0; !complete && i < n; i++) {
            if (lineAt[i] < 0) {
                int line = lines.find(keys[begin + i]);
                lineAt[i] = line >= 0 ? line : insert(keys[begin + i]);
            }
        }
    }

    private int insert(long key) {
        int line = lines.victim();
        if (line < lines.size()) {
            traffic.evicted();
            if (lines.updates(line) > 0) {
                outgoing.add(lines, line);
            }
        }
        lines.insert(line, key);
        pushedAt[line] = 0;
        comparedFor[line] = 0;
        return line;
    }

    /** Collects the updates of a line, and gives it the version of its row after the push. */
    private void push(int line) {
        int updates = lines.updates(line);
        outgoing.add(lines, line);
        pushedAt[line] = ++pushed;
        if (scale != 0 && lines.version(line) != Lines.NONE) {
            lines.setVersion(line, lines.version(line) + updates);
        } else if (scale == 0) {
            lines.setVersion(line, Lines.NONE); // the next look-up receives the row with the pushed updates
        }
    }

    private boolean isPushedFirst(int line) {
        return options.pushFirst() && lines.updates(line) > 0;
    }

    /** True if the row of the line is missing, or may lack more updates than the bound. */
    private boolean mayBeOld(int line) {
        return lines.version(line) == Lines.NONE || !options.unlimited();
    }

    /** Receives those rows of the pinned lines that are missing or stale. */
    private void fetch() {
        questions.clear();
        int missing = 0;
        for (int i = 0; i < lines.pins(); i++) {
            int line = lines.pinned(i);
            lines.use(line);
            if (isPushedFirst(line)) {
                push(line);
            }
            if (lines.version(line) == Lines.NONE || !options.unlimited() && comparedFor[line] != lookUp) {
                questions.add(lines.key(line), lines.version(line));
                missing += lines.version(line) == Lines.NONE ? 1 : 0;
            }
        }
        outgoing.send();
        questions.send();
        SyncEmbedding.Response received = questions.await();
        if (received != null) {
            traffic.fetched(missing, received.keys().length());
            for (int i = 0; i < received.keys().length(); i++) {
                setRow(lines.find(received.keys().get(i)), received, i);
            }
        }
    }

    private void setRow(int line, SyncEmbedding.Response received, int i) {
        lines.setRow(line, received.versions().get(i), received.values(), i * width, scale);
    }

    /**
     * Puts the rows of the prefetch into the cache. A row whose line was pushed in the meantime lacks that push and is
     * not used; the next look-up compares it. A failure is not reported, since the next look-up requests the rows, except
     * that the model goes back to a checkpoint: no other call may have been told.
     */
    private void takePrefetched() {
        SyncEmbedding.Response received;
        try {
            received = prefetch.await();
        } catch (PsException e) {
            if (e.code() == PsException.Code.ROLLED_BACK) {
                throw e;
            }
            return;
        }
        if (received == null) {
            return;
        }
        traffic.prefetched(received.keys().length());
        try {
            for (int i = 0; i < prefetch.size(); i++) {
                int line = lines.find(prefetch.key(i));
                if (line >= 0) {
                    lines.pin(line);
                }
            }
            for (int i = 0; i < prefetch.size(); i++) {
                int line = lines.find(prefetch.key(i));
                line = line >= 0 ? line : insert(prefetch.key(i));
                comparedFor[line] = isPushedSincePrefetch(line) ? 0 : lookUp;
            }
            for (int i = 0; i < received.keys().length(); i++) {
                int line = lines.find(received.keys().get(i));
                if (!isPushedSincePrefetch(line)) {
                    setRow(line, received, i);
                }
            }
            outgoing.send();
        } finally {
            lines.unpin();
        }
    }

    private boolean isPushedSincePrefetch(int line) {
        return pushedAt[line] > pushedBeforePrefetch;
    }
}
