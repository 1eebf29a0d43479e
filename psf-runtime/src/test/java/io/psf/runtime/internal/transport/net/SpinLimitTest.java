package io.psf.runtime.internal.transport.net;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class SpinLimitTest {
    @Test
    void anEarlyArrivalRaisesTheLimit() {
        SpinLimit limit = new SpinLimit(50);
        assertThat(limit.allows(49)).isTrue();
        assertThat(limit.allows(50)).isFalse();
        limit.arrivedAfter(199);
        assertThat(limit.allows(199)).isTrue();
        assertThat(limit.allows(200)).isFalse();
        limit.arrivedAfter(200);
        assertThat(limit.allows(50)).as("it came late").isFalse();
    }

    @Test
    void aLimitOfZeroForbidsSpinning() {
        SpinLimit limit = new SpinLimit(0);
        limit.arrivedAfter(0);
        assertThat(limit.allows(0)).isFalse();
    }
}
