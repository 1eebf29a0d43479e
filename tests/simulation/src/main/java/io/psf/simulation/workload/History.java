package io.psf.simulation.workload;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The operations on one register, which is 0 at first, with the order of their beginnings and ends. The search for an
 * order that explains them is that of Wing and Gong, "Testing and Verifying Concurrent Objects" (1993), with the memory
 * of Lowe (2017).
 */
final class History {
    /** A write or a read. One that has not ended may have happened at any time since, or not at all. */
    static final class Operation {
        final boolean isWrite;
        int value;
        private final int begin;
        private int end = Integer.MAX_VALUE;

        private Operation(boolean isWrite, int value, int begin) {
            this.isWrite = isWrite;
            this.value = value;
            this.begin = begin;
        }

        @Override
        public String toString() {
            return (isWrite ? "write " : "read ") + value + " [" + begin + ", "
                    + (end == Integer.MAX_VALUE ? ".." : end) + "]";
        }
    }

    /** What has happened, and the value then. */
    private record State(BitSet done, int value) {}

    private final List<Operation> operations = new ArrayList<>();
    /** Pairs of operations, of which the first one comes first. */
    private final List<Operation[]> ordered = new ArrayList<>();

    private final Set<State> seen = new HashSet<>();
    private int clock;

    Operation begin(boolean isWrite, int value) {
        Operation begun = new Operation(isWrite, value, clock++);
        operations.add(begun);
        return begun;
    }

    void end(Operation operation) {
        operation.end = clock++;
    }

    /** Requires an order of two operations that were under way together. */
    void inOrder(Operation first, Operation second) {
        ordered.add(new Operation[] {first, second});
    }

    boolean isLinearizable() {
        operations.removeIf(each -> !each.isWrite && each.end == Integer.MAX_VALUE); // its answer is unknown
        seen.clear();
        return search(new BitSet(), 0);
    }

    private boolean search(BitSet done, int value) {
        int firstEnd = Integer.MAX_VALUE;
        for (int i = 0; i < operations.size(); i++) {
            if (!done.get(i)) {
                firstEnd = Math.min(firstEnd, operations.get(i).end);
            }
        }
        if (firstEnd == Integer.MAX_VALUE) {
            return true; // what is left need not have happened
        }
        if (!seen.add(new State((BitSet) done.clone(), value))) {
            return false;
        }
        for (int i = 0; i < operations.size(); i++) {
            Operation next = operations.get(i);
            if (done.get(i)
                    || next.begin > firstEnd
                    || !next.isWrite && next.value != value
                    || !mayBeNext(next, done)) {
                continue;
            }
            done.set(i);
            if (search(done, next.isWrite ? next.value : value)) {
                return true;
            }
            done.clear(i);
        }
        return false;
    }

    private boolean mayBeNext(Operation next, BitSet done) {
        return ordered.stream().noneMatch(pair -> pair[1] == next && !done.get(operations.indexOf(pair[0])));
    }

    @Override
    public String toString() {
        return operations.toString();
    }
}
