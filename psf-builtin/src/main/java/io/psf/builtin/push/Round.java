package io.psf.builtin.push;

import io.psf.api.Caller;
import io.psf.api.DeferredAnswer;
import io.psf.api.PsException;
import io.psf.api.Shard;
import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * One round: one push of each worker, and the workers' answers. The pushes are added in the order of the workers'
 * ranks, so that the sum does not depend on the order of arrival. A push that has to wait for lower ranks stays in its
 * request, uncopied. While all pushes are sparse, the sum has the pushed keys only. From the first dense push on, the
 * sum has every row and is in a slot of the shard. Used on the shard's lane.
 */
final class Round {
    private final Shard shard;
    private final String slot;
    /** The ranks of the workers that the round is for, which were present when it was opened, and still are. */
    private final Set<Integer> counted;
    /** The pushes by worker, in the order of arrival. */
    private final Map<Integer, Push<?>> pushes = new LinkedHashMap<>();

    /** The updates that are not in the sum yet, by worker, in the order of the ranks. */
    private final TreeMap<Integer, Held> held = new TreeMap<>();

    /** The workers whose pushes are left out. */
    private final Set<Integer> skipped = new HashSet<>(0);

    /** The workers that have cancelled their pushes, which are in the sum with others. */
    private Set<Integer> cancelled = Set.of();

    /** The sum by key; null before the first sparse update, and once the sum has every row. */
    private @Nullable RowSums some;
    /** True if the sum has every row and is in the slot. */
    private boolean isOfAll;
    /** The reason why the sum failed; null if it has not. */
    private @Nullable PsException failure;

    /**
     * An update that is not in the sum yet.
     *
     * @param release releases the memory of the update's request
     */
    private record Held(Update update, Runnable release) {}

    /**
     * Creates an empty round.
     *
     * @param counted the ranks of the workers that the round is for
     * @param slot the shard's slot for a sum of every row, used until the sum is applied; only one round at a time may
     *     {@link #addBelow add} to it
     */
    Round(Shard shard, Set<Integer> counted, String slot) {
        this.shard = shard;
        this.counted = counted;
        this.slot = slot;
    }

    boolean has(int worker) {
        return pushes.containsKey(worker);
    }

    /** True if the round is for a worker. A worker that has joined later pushes for a later round. */
    boolean counts(int worker) {
        return counted.contains(worker);
    }

    /** Counts only the present workers: the next worker of a rank is counted by the rounds that open from then on. */
    void retain(Set<Integer> present) {
        counted.retainAll(present);
    }

    /** Returns the ranks of the workers that have pushed. */
    Set<Integer> workers() {
        return pushes.keySet();
    }

    /** Returns the pushes in the order of arrival. */
    Collection<Push<?>> pushes() {
        return pushes.values();
    }

    /**
     * Returns the callers of the pushes, in the order of arrival, the last one first: it is the least likely to expire.
     */
    List<Caller> callers() {
        List<Caller> callers = new ArrayList<>();
        for (Push<?> push : pushes.values()) {
            if (push.caller() != null) {
                callers.add(0, push.caller());
            }
        }
        return callers;
    }

    /**
     * Answers the pushes in the order of arrival. The last push is answered last: its handler may still be running, so
     * its answer is sent after the others, whose answers may have released calls that use the memory for answers.
     */
    void answer() {
        pushes.values().forEach(Push::complete);
    }

    /** Fails all pushes, and releases their requests. */
    void drop(Throwable cause) {
        held.values().forEach(each -> each.release().run());
        held.clear();
        fail(cause);
    }

    /** Fails all pushes. */
    void fail(Throwable cause) {
        pushes.values().forEach(push -> push.answered().completeExceptionally(cause));
    }

    /**
     * Takes a worker's push. The update is borrowed until it is in the sum, even if its caller cancels the call
     * earlier.
     *
     * @param release releases the memory of the update's request
     */
    void add(int worker, Push<?> push, Update update, Runnable release) {
        pushes.put(worker, push);
        held.put(worker, new Held(update, release));
    }

    /** Takes the push of a worker that is left out: it is answered with the round. */
    void skip(int worker, Push<?> push) {
        pushes.put(worker, push);
        skipped.add(worker);
    }

    /** True if no push has an update that is applied. */
    boolean isWithoutUpdates() {
        return skipped.size() == pushes.size();
    }

    /** Returns the number of pushes in the sum. */
    private int added() {
        return pushes.size() - held.size() - skipped.size();
    }

    /** Notes that a worker has cancelled its push, which stays. */
    void cancelled(int worker) {
        cancelled = new HashSet<>(cancelled);
        cancelled.add(worker);
    }

    /** True if a worker has cancelled its push, which stays. */
    boolean hasCancelled(int worker) {
        return cancelled.contains(worker);
    }

    /** True if a worker's push has that answer. */
    boolean has(int worker, Object answer) {
        Push<?> push = pushes.get(worker);
        return push != null && push.answered() == answer;
    }

    /**
     * Takes a worker's push out, and releases its request.
     *
     * @return false if the push stays, since the sum has its update and the updates of others
     */
    boolean remove(int worker) {
        Held update = held.remove(worker);
        if (update != null) {
            update.release().run();
        } else if (!skipped.remove(worker)) {
            if (added() > 1) {
                return false;
            }
            some = null;
            isOfAll = false;
            failure = null;
        }
        pushes.remove(worker);
        return true;
    }

    /**
     * Adds the pushes of the ranks below {@code rank} to the sum, and releases their requests. If adding fails,
     * {@link #total} throws the failure.
     */
    void addBelow(int rank) {
        if (held.isEmpty() || held.firstKey() >= rank) {
            return;
        }
        SortedMap<Integer, Held> lower = held.headMap(rank);
        try {
            if (failure == null) {
                addUp(lower.values(), 1);
            }
        } catch (RuntimeException | Error e) {
            failure = e instanceof PsException known
                    ? known
                    : new PsException(PsException.Code.RESOURCE_EXHAUSTED, "sum of a round: " + e, e);
        }
        lower.values().forEach(each -> each.release().run());
        lower.clear();
    }

    /**
     * Returns the sum of all pushes, or their mean, as one update.
     *
     * @throws PsException if the sum failed, such as for lack of memory
     */
    Update total(boolean mean) {
        int updates = pushes.size() - skipped.size();
        float divisor = mean ? updates : 1;
        if (failure != null) {
            throw failure;
        }
        if (updates == 1 && held.size() == 1) {
            Update only = held.firstEntry().getValue().update();
            if (only.isDense()) {
                return only;
            }
        }
        addUp(held.values(), divisor);
        if (isOfAll) {
            return new Update(null, shard.slot(slot, shard.width()));
        }
        return some == null
                ? new Update(LongArray.allocate(0), FloatArray.allocate(0))
                : new Update(some.keys(), some.sums());
    }

    /**
     * Adds updates to the sum.
     *
     * @param divisor the number that the sum is divided by at the end
     */
    private void addUp(Collection<Held> inOrder, float divisor) {
        List<FloatArray> dense = new ArrayList<>();
        for (Held each : inOrder) {
            Update update = each.update();
            if (update.keys() == null) {
                dense.add(update.values());
            } else if (update.keys().length() > 0) {
                addDense(dense, 1);
                dense.clear();
                addSparse(update.keys(), update.values());
            }
        }
        if (isOfAll || !dense.isEmpty()) {
            addDense(dense, divisor);
        } else if (some != null && divisor != 1) {
            DenseSums.divide(some.sums(), divisor);
        }
    }

    private void addDense(List<FloatArray> updates, float divisor) {
        if (updates.isEmpty() && divisor == 1) {
            return;
        }
        FloatArray all = shard.slot(slot, shard.width());
        List<FloatArray> terms = new ArrayList<>(updates);
        if (isOfAll) {
            terms.add(0, all);
        } else if (some != null) {
            all.copyFrom(terms.get(0));
            addRows(all, some.keys(), some.sums());
            terms.set(0, all);
            some = null;
        }
        isOfAll = true;
        DenseSums.add(terms, divisor, all);
    }

    private void addSparse(LongArray keys, FloatArray rows) {
        if (isOfAll) {
            addRows(shard.slot(slot, shard.width()), keys, rows);
            return;
        }
        if (some == null) {
            some = new RowSums(shard.width(), keys.length());
        }
        some.add(keys, rows);
    }

    /** Adds rows by key to a sum of every row. */
    private void addRows(FloatArray sums, LongArray keys, FloatArray update) {
        int width = shard.width();
        int[] rows = shard.rows(keys);
        float[] from = new float[width];
        float[] to = new float[width];
        for (int i = 0; i < rows.length; i++) {
            update.copyTo(i * width, from, 0, width);
            sums.copyTo(rows[i] * width, to, 0, width);
            for (int c = 0; c < width; c++) {
                to[c] += from[c];
            }
            sums.copyFrom(rows[i] * width, to, 0, width);
        }
    }

    /** Writes the pushes that are not in the sum yet, and the sum. */
    void write(DataOutputStream out) throws IOException {
        out.writeInt(counted.size());
        for (int worker : counted) {
            out.writeInt(worker);
        }
        out.writeInt(pushes.size());
        for (Map.Entry<Integer, Push<?>> each : pushes.entrySet()) {
            out.writeInt(each.getKey());
            out.writeLong(each.getValue().call());
        }
        out.writeInt(skipped.size());
        for (int worker : skipped) {
            out.writeInt(worker);
        }
        out.writeInt(held.size());
        for (Map.Entry<Integer, Held> each : held.entrySet()) {
            out.writeInt(each.getKey());
            UpdateBytes.write(each.getValue().update(), out);
        }
        out.writeBoolean(some != null || isOfAll);
        if (some != null) {
            UpdateBytes.write(new Update(some.keys(), some.sums()), out);
        } else if (isOfAll) {
            UpdateBytes.write(new Update(null, shard.slot(slot, shard.width())), out);
        }
        TakenPushes.writeFailure(failure, out);
    }

    /**
     * Reads what {@link #write} wrote of a round of the same slice.
     *
     * @param taken gets the pushes
     */
    void read(DataInputStream in, TakenPushes taken, DeferredAnswer.Reason waitsFor) throws IOException {
        for (int left = in.readInt(); left > 0; left--) {
            counted.add(in.readInt());
        }
        for (int left = in.readInt(); left > 0; left--) {
            int worker = in.readInt();
            pushes.put(worker, taken.add(worker, in.readLong(), waitsFor));
        }
        for (int left = in.readInt(); left > 0; left--) {
            skipped.add(in.readInt());
        }
        for (int left = in.readInt(); left > 0; left--) {
            int worker = in.readInt();
            LongArray keys = UpdateBytes.readKeys(in);
            FloatArray values = FloatArray.allocate(readLength(in, keys));
            FloatBytes.read(in, values);
            held.put(worker, new Held(new Update(keys, values), () -> {}));
        }
        if (in.readBoolean()) {
            readSum(in);
        }
        failure = TakenPushes.readFailure(in);
    }

    private void readSum(DataInputStream in) throws IOException {
        LongArray keys = UpdateBytes.readKeys(in);
        int length = readLength(in, keys);
        if (keys == null) {
            isOfAll = true;
            FloatBytes.read(in, shard.slot(slot, shard.width()).slice(0, length));
            return;
        }
        FloatArray sums = FloatArray.allocate(length);
        FloatBytes.read(in, sums);
        some = new RowSums(shard.width(), keys.length());
        some.add(keys, sums);
    }

    /** Reads the number of elements of an update. */
    private int readLength(DataInputStream in, @Nullable LongArray keys) throws IOException {
        int length = in.readInt();
        long expected = (long) (keys == null ? shard.rows() : keys.length()) * shard.width();
        if (length != expected) {
            throw new IllegalArgumentException("elements of an update: " + length + ", not " + expected);
        }
        return length;
    }
}
