package io.psf.runtime.transport.net;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class PatienceTest {
    @Test
    void whoHasGotSomethingSoonLooksLonger() {
        Patience patience = new Patience(50);
        assertThat(patience.lasts(49)).isTrue();
        assertThat(patience.lasts(50)).isFalse();
        patience.cameAfter(199);
        assertThat(patience.lasts(199)).isTrue();
        assertThat(patience.lasts(200)).isFalse();
        patience.cameAfter(200);
        assertThat(patience.lasts(50)).as("it came late").isFalse();
    }

    @Test
    void whoMayNotLookDoesNot() {
        Patience patience = new Patience(0);
        patience.cameAfter(0);
        assertThat(patience.lasts(0)).isFalse();
    }
}
