package io.psf.runtime.internal.transport.net;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.psf.fuzz.Script;
import io.psf.fuzz.Seeds;
import io.psf.runtime.spi.transport.TlsEngines;
import io.psf.runtime.spi.transport.TlsFailure;
import java.util.stream.Stream;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.params.provider.MethodSource;

/** A handshake whose bytes were changed on the way: it completes with the certificate of the peer, fails, or waits. */
@EnabledIf("io.psf.fuzz.Natives#areThere")
@Tag("long")
final class TlsHandshakeFuzzTest {
    static Stream<byte[]> seeds() {
        return Seeds.of(2);
    }

    @MethodSource("seeds")
    @FuzzTest
    void aHandshakeCompletesWithACertificateOrFailsInASentence(byte[] script) throws TlsFailure {
        Script edits = new Script(script);
        int piece = 1 + 16 * edits.next();
        try {
            TlsPair pair = TlsPair.handshake(edits, piece);
            if (pair != null) {
                assertThat(TlsEngines.peerName(pair.far())).isEqualTo("node");
            }
        } catch (SSLException | RuntimeException e) { // as in an accepted connection
            assertThat(TlsPair.ENGINES.failure(e)).hasMessageMatching("TLS: .{10,}");
        }
    }
}
