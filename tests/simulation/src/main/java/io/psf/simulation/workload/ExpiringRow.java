package io.psf.simulation.workload;

import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;

/**
 * The bounds on the state of a row that expires by time. The row's server is not known, so each bound holds on the
 * clocks of all servers.
 *
 * @param begun [servers] the time on each server's clock when the last push of the key began, in nanoseconds
 * @param ended [servers] the same when that push was answered
 * @param values the values that the row may have; 0 for no row
 */
record ExpiringRow(long[] begun, long[] ended, Set<Integer> values) {
    /**
     * The limit of the table.
     *
     * @param idle the time after which a row expires, in nanoseconds
     * @param late how much later it is removed at most, in nanoseconds
     */
    record Limit(long idle, long late) {}

    /** Returns the values that the row may have in a call that begins and ends at times of the servers' clocks. */
    Set<Integer> values(Limit limit, long[] from, long[] to) {
        if (IntStream.range(0, to.length).allMatch(server -> to[server] - begun[server] <= limit.idle())) {
            return values;
        }
        boolean isGone = IntStream.range(0, from.length)
                .allMatch(server -> from[server] - ended[server] > limit.idle() + limit.late());
        Set<Integer> possible = new TreeSet<>(isGone ? Set.of() : values);
        possible.add(0);
        return possible;
    }

    /** Returns the row after one more push. */
    ExpiringRow pushed(Limit limit, long[] from, long[] to) {
        Set<Integer> more = new TreeSet<>();
        values(limit, from, to).forEach(each -> more.add(each + 1));
        return new ExpiringRow(from, to, more);
    }

    /** Returns the row as a read has found it. */
    ExpiringRow found(int value) {
        return new ExpiringRow(begun, ended, Set.of(value));
    }

    static ExpiringRow none(int servers) {
        return new ExpiringRow(new long[servers], new long[servers], Set.of(0));
    }

    /** Returns for how long no push has touched the row, by each server's clock, in seconds. */
    String idle(long[] now) {
        return Arrays.toString(IntStream.range(0, now.length)
                .mapToDouble(server -> (now[server] - ended[server]) / 1e9)
                .toArray());
    }
}
