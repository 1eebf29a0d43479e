package io.psf.runtime.spi.transport;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Lines that peers cause. */
final class PeerLogTest {
    private final List<String> lines = new ArrayList<>();
    private final AtomicLong clock = new AtomicLong(-5);
    private final PeerLog log = new PeerLog(lines::add, PeerLog.MOST, clock::get);

    @Test
    void aFloodLeavesAFewLinesAndItsNumber() {
        for (int i = 0; i < 100_000; i++) {
            log.line("line " + i);
        }
        assertThat(lines).hasSize(PeerLog.MOST).endsWith("line 9");
        clock.addAndGet(PeerLog.INTERVAL_NANOS - 1);
        log.line("too early");
        assertThat(lines).hasSize(PeerLog.MOST);
        clock.addAndGet(1);
        log.line("next");
        log.line("after it");
        assertThat(lines.subList(PeerLog.MOST, lines.size()))
                .containsExactly("next (and 99991 more like this before)", "after it");
    }

    @Test
    void aPeerWritesNoLineOfItsOwn() {
        log.line("name \"a\nERROR forged\r\u001b[2J\u2028\u202e\"");
        assertThat(lines).containsExactly("name \"a\\u000aERROR forged\\u000d\\u001b[2J\\u2028\\u202e\"");
        log.line("größe 東京 \"x\"");
        assertThat(lines).endsWith("größe 東京 \"x\"");
    }

    @Test
    void aLongTextIsCut() {
        log.line("x".repeat(1 << 20));
        assertThat(lines.get(0)).hasSize(PeerText.MOST + 2).endsWith("x..");
    }
}
