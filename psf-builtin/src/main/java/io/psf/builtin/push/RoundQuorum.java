package io.psf.builtin.push;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Lets the rounds of a shard close without the slowest workers. A worker is late if a round has closed since its last
 * push was answered: its next push was made for that round. Used on the shard's lane.
 */
final class RoundQuorum {
    private final int pushes;
    private final boolean dropsLate;
    /** By worker, the number of closed rounds when its last push was answered. */
    private final Map<Integer, Long> answered = new HashMap<>();

    /** The workers that were present at the last change. */
    private Set<Integer> present;

    /** By worker, the number of its late pushes. */
    private final SortedMap<Integer, Long> late = new TreeMap<>();

    /**
     * Creates the quorum of a new shard.
     *
     * @param pushes the number of pushes of different workers at which a round closes, at least 1
     * @param dropsLate true if a late push is dropped, false if it is added to the open round
     * @param present the ranks of the workers that are present
     */
    RoundQuorum(int pushes, boolean dropsLate, Set<Integer> present) {
        this.present = present;
        this.pushes = pushes;
        this.dropsLate = dropsLate;
    }

    /** Learns which workers are present. The first push of a worker that has joined is not late. */
    void changed(Set<Integer> now, long closed) {
        answered.keySet().retainAll(now);
        for (int worker : now) {
            if (!present.contains(worker)) {
                answered.put(worker, closed);
            }
        }
        present = now;
    }

    /** Forgets the rounds that have closed. */
    void restart() {
        answered.clear();
    }

    boolean isAs(int pushes, boolean dropsLate) {
        return pushes == this.pushes && dropsLate == this.dropsLate;
    }

    boolean dropsLate() {
        return dropsLate;
    }

    /** True if the worker's push is late. Counts it then. */
    boolean isLate(int worker, long closed) {
        if (answered.getOrDefault(worker, 0L) >= closed) {
            return false;
        }
        late.merge(worker, 1L, Long::sum);
        return true;
    }

    /** Records that pushes of workers are answered. */
    void answered(Set<Integer> workers, long closed) {
        workers.forEach(worker -> answered.put(worker, closed));
    }

    /** Returns the number of pushes at which a round closes. */
    int pushes() {
        return pushes;
    }

    boolean isReached(Round round) {
        return round.pushes().size() >= pushes;
    }

    SortedMap<Integer, Long> late() {
        return Collections.unmodifiableSortedMap(late);
    }

    void write(DataOutputStream out) throws IOException {
        write(answered, out);
        write(late, out);
    }

    void read(DataInputStream in) throws IOException {
        read(in, answered);
        read(in, late);
    }

    private static void write(Map<Integer, Long> byWorker, DataOutputStream out) throws IOException {
        out.writeInt(byWorker.size());
        for (Map.Entry<Integer, Long> each : byWorker.entrySet()) {
            out.writeInt(each.getKey());
            out.writeLong(each.getValue());
        }
    }

    private static void read(DataInputStream in, Map<Integer, Long> byWorker) throws IOException {
        for (int left = in.readInt(); left > 0; left--) {
            byWorker.put(in.readInt(), in.readLong());
        }
    }
}
