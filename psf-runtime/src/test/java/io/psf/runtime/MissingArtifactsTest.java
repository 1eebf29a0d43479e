package io.psf.runtime;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.runtime.spi.transport.FramePool;
import org.junit.jupiter.api.Test;

/** This module's class path has none of the artifacts that extend a node. */
final class MissingArtifactsTest {
    @Test
    void aTransportThatIsNotOnTheClassPathIsRefusedWithItsArtifact() {
        TransportConfig netty = TransportConfig.usual().withKind(TransportConfig.Kind.NETTY);
        assertThatThrownBy(() -> Defaults.transport(netty, new FramePool(0)))
                .hasMessage("CONFIGURATION: transport \"netty\": not on the class path"
                        + " (expected: the artifact io.psf:psf-netty)");
    }
}
