package io.psf.runtime.internal.cluster;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.api.PsException;
import io.psf.runtime.internal.cluster.Protocol.Feature;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What two nodes agree on before anything else. */
final class ProtocolTest {
    @Test
    void aFeatureWithALineFeedWritesNoLine() {
        Protocol other = new Protocol(1, 1, List.of(new Feature("a\nb", true)));
        assertThatThrownBy(() -> Protocol.OWN.agree(other))
                .isInstanceOf(PsException.class)
                .hasMessage("PROTOCOL: feature of the protocol: \"a\\u000ab\" (expected: one of [checksum])");
        assertThatThrownBy(() -> Protocol.OWN.requiring(Protocol.CHECKSUM).agree(other))
                .hasMessageNotContaining("\n");
    }
}
