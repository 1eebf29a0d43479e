package io.psf.builtin.internal.statistics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

class TimesTest {
    @Test
    void theBucketsFollowEachOther() {
        for (int bucket = 0; bucket < Times.BUCKETS; bucket++) {
            assertThat(Times.bucket(Times.least(bucket))).isEqualTo(bucket);
            assertThat(Times.bucket(Times.least(bucket + 1) - 1)).isEqualTo(bucket);
        }
        assertThat(Times.bucket(-5)).isZero();
        assertThat(Times.bucket(Long.MAX_VALUE)).isEqualTo(Times.BUCKETS - 1);
    }

    @Test
    void theQuantilesOfTwoServersAreThoseOfAllTimes() {
        Random random = new Random(1);
        long[] times = new long[20_000];
        Histogram one = new Histogram();
        Histogram other = new Histogram();
        long sum = 0;
        for (int i = 0; i < times.length; i++) {
            times[i] = (long) Math.exp(random.nextGaussian() * 2 + 12);
            sum += times[i];
            (i % 3 == 0 ? one : other).add(times[i]);
        }
        Arrays.sort(times);
        Times all = one.times().plus(other.times());
        assertThat(all.count()).isEqualTo(times.length);
        assertThat(all.nanos()).isEqualTo(sum);
        assertThat(all.max()).isEqualTo(times[times.length - 1]);
        for (double share : new double[] {0.01, 0.5, 0.99}) {
            double exact = times[(int) Math.ceil(share * times.length) - 1];
            assertThat((double) all.quantile(share)).isCloseTo(exact, within(0.07 * exact));
        }
        assertThat(all.quantile(1)).isLessThanOrEqualTo(all.max());
    }

    @Test
    void noTimesHaveNoQuantiles() {
        assertThat(Times.none().quantile(0.5)).isZero();
        assertThat(new Histogram().times().buckets()).isEmpty();
    }
}
