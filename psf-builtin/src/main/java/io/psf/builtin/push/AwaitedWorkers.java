package io.psf.builtin.push;

import io.psf.api.Member;
import io.psf.api.Role;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The workers that the rounds of a shard wait for: all workers that a round counts, without the workers that push no
 * more.
 */
final class AwaitedWorkers {
    /** The end of a message: the push has changed nothing on the slice, and may be made again. */
    static final String NOT_APPLIED = " the push was not applied";

    /** The ranks of the workers that push no more, until all workers have ended their pushes. */
    private final Set<Integer> ended = new HashSet<>();
    /** The ranks of the workers that have joined and do not push yet, or have ended the epoch. */
    private final Set<Integer> paused = new HashSet<>();

    /** Waits for none of a worker's pushes, until it begins. */
    void pause(int worker) {
        paused.add(worker);
    }

    /** Waits for workers that begin. */
    void begin(Set<Integer> workers) {
        paused.removeAll(workers);
        ended.removeAll(workers);
    }

    /**
     * Waits for all workers again, if all have ended their pushes. Returns the workers that had; none if others have
     * not.
     */
    Set<Integer> beginIfAllEnded(List<Member> members) {
        if (ended.isEmpty()) {
            return Set.of();
        }
        Set<Integer> others = Workers.of(members);
        others.removeAll(ended);
        others.removeAll(paused);
        if (!others.isEmpty()) {
            return Set.of();
        }
        Set<Integer> begin = Set.copyOf(ended);
        ended.clear();
        return begin;
    }

    /** Learns which workers are present: another worker may get the rank of a worker that has left. */
    void retain(Set<Integer> present) {
        ended.retainAll(present);
        paused.retainAll(present);
    }

    /** Waits no more for a worker, until it pushes again. Returns false if that was so before. */
    boolean end(int worker) {
        return ended.add(worker);
    }

    /** Learns that a worker pushes. */
    void pushes(int worker) {
        ended.remove(worker);
    }

    /** Forgets which workers push no more. */
    void clearEnded() {
        ended.clear();
    }

    /** Writes the workers that are not waited for. */
    void write(DataOutputStream out) throws IOException {
        for (Set<Integer> workers : List.of(ended, paused)) {
            out.writeInt(workers.size());
            for (int worker : workers) {
                out.writeInt(worker);
            }
        }
    }

    void read(DataInputStream in) throws IOException {
        for (Set<Integer> workers : List.of(ended, paused)) {
            for (int left = in.readInt(); left > 0; left--) {
                workers.add(in.readInt());
            }
        }
    }

    /** Returns the lowest rank of the workers that a round waits for; {@code Integer.MAX_VALUE} if there is none. */
    int lowestMissing(Round round, List<Member> members) {
        int lowest = Integer.MAX_VALUE;
        for (Member member : members) {
            if (isMissing(member, round)) {
                lowest = Math.min(lowest, member.rank());
            }
        }
        return lowest;
    }

    /**
     * Says which workers a round waits for.
     *
     * @param number the number of the round
     * @param quorum null if it waits for all workers
     */
    String describe(Round round, long number, List<Member> members, @Nullable RoundQuorum quorum) {
        return "workers without a push in round " + number + ": " + missing(round, members)
                + " (expected: none of the workers"
                + " that were present when it opened, still are, and have not ended their pushes"
                + (quorum == null
                        ? ""
                        : ", or " + quorum.pushes() + " pushes instead of "
                                + round.pushes().size())
                + ");" + NOT_APPLIED;
    }

    /** Returns the ranks of the workers that a round waits for, in order. */
    Set<Integer> missing(Round round, List<Member> members) {
        return members.stream()
                .filter(member -> isMissing(member, round))
                .map(Member::rank)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private boolean isMissing(Member member, Round round) {
        int rank = member.rank();
        return member.role() == Role.WORKER
                && round.counts(rank)
                && !round.has(rank)
                && !ended.contains(rank)
                && !paused.contains(rank);
    }
}
