package io.psf.builtin;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The counts of servers between two times. */
@Timeout(60)
class StatisticsTest {
    private static FunctionStatistics function(String name, long... nanos) {
        Latency times = Latency.of(nanos);
        return new FunctionStatistics(
                name, new TreeMap<>(Map.of("OK", (long) nanos.length)), nanos.length, 0, times, times, times);
    }

    /** Returns the statistics of servers 0, 1 .. */
    @SafeVarargs
    private static Statistics statistics(long seconds, List<FunctionStatistics>... servers) {
        SortedMap<Integer, List<FunctionStatistics>> byRank = new TreeMap<>();
        for (List<FunctionStatistics> each : servers) {
            byRank.put(byRank.size(), each);
        }
        return new Statistics(Duration.ofSeconds(seconds), byRank, new TreeMap<>(), new TreeMap<>(), new TreeMap<>());
    }

    private static long[] times(long nanos, int count) {
        return LongStream.generate(() -> nanos).limit(count).toArray();
    }

    @Test
    void timesAreThoseOfTheTimeBetween() {
        long[] fast = times(1_000, 1000);
        long[] slow = Arrays.copyOf(fast, 1010);
        Arrays.fill(slow, 1000, 1010, 5_000_000);

        Latency of = statistics(11, List.of(function("acme.a", slow)))
                .since(statistics(10, List.of(function("acme.a", fast))))
                .functions()
                .get(0)
                .running();

        assertThat(Latency.of(slow).p50Nanos()).as("of all times").isLessThan(1_100);
        assertThat(of.count()).isEqualTo(10);
        assertThat(of.meanNanos()).isEqualTo(5_000_000);
        assertThat(of.p50Nanos()).isBetween(4_650_000L, 5_000_000L);
        assertThat(of.maxNanos()).isEqualTo(5_000_000);
    }

    @Test
    void aLongTimeOfBeforeIsForgotten() {
        long[] slow = {5_000_000, 5_000_000};
        long[] fast = {5_000_000, 5_000_000, 1_000, 1_000};

        Latency of = statistics(2, List.of(function("acme.a", fast)))
                .since(statistics(1, List.of(function("acme.a", slow))))
                .functions()
                .get(0)
                .running();

        assertThat(of.p99Nanos()).isBetween(930L, 1_070L);
        assertThat(of.maxNanos()).isBetween(1_000L, 1_130L);
    }

    @Test
    void aFunctionThatDidNotRunHasNoTimes() {
        Statistics same = statistics(1, List.of(function("acme.a", 1_000)));

        FunctionStatistics of = same.since(same).functions().get(0);

        assertThat(of.count()).isZero();
        assertThat(of.outcomes()).isEmpty();
        assertThat(of.bytesIn()).isZero();
        assertThat(of.running()).hasToString("Latency[count=0, meanNanos=0, p50Nanos=0, p99Nanos=0, maxNanos=0]");
    }

    @Test
    void serversAreSummedAndOneThatCountsAnewHasAllThatItCounted() {
        Statistics before = statistics(
                10, List.of(function("acme.a", times(1_000, 7))), List.of(function("acme.a", times(1_000, 50))));
        Statistics now = statistics(
                1,
                List.of(function("acme.a", times(1_000, 9)), function("acme.b", 1_000)),
                List.of(function("acme.a", times(1_000, 5))));

        Statistics since = now.since(before);

        assertThat(since.functions().stream().map(each -> each.function() + " " + each.count()))
                .containsExactly("acme.a 7", "acme.b 1");
        assertThat(since.time()).isEqualTo(Duration.ofSeconds(1));
        assertThat(statistics(12, List.of()).since(before).time()).isEqualTo(Duration.ofSeconds(2));
    }
}
