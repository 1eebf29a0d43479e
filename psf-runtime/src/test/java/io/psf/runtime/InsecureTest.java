package io.psf.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.api.PsException;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Nodes that listen beyond loopback. */
@Timeout(30)
class InsecureTest {
    private static final SchedulerConfig SCHEDULER = SchedulerConfig.of(1, 1).listen("0.0.0.0", 0);

    @Test
    void aSchedulerBeyondLoopbackNeedsASecretOrTls() {
        assertThatThrownBy(() -> Scheduler.start(SCHEDULER))
                .isInstanceOfSatisfying(
                        PsException.class, e -> assertThat(e.code()).isEqualTo(PsException.Code.CONFIGURATION))
                .hasMessageContaining("address of a scheduler: 0.0.0.0, without a secret and TLS")
                .hasMessageContaining("expected: PSF_SECRET, or PSF_TLS_CERTIFICATE");
    }

    @Test
    void aServerBeyondLoopbackNeedsASecretOrTls() {
        ServerConfig server =
                ServerConfig.of("127.0.0.1", 1).advertise("127.0.0.1", 0).listen("0.0.0.0", 0);
        assertThatThrownBy(() -> Server.start(server))
                .isInstanceOf(PsException.class)
                .hasMessageContaining("address of a server: 0.0.0.0, without a secret and TLS");
        assertThatThrownBy(() -> Server.start(
                        server.asInsecure().withJoinTimeout(Duration.ofMillis(100)))) // no scheduler is there
                .isInstanceOfSatisfying(
                        PsException.class, e -> assertThat(e.code()).isNotEqualTo(PsException.Code.CONFIGURATION));
    }

    @Test
    void aSecretOrTheWishOfTheUserSuffices() {
        try (Scheduler secret = Scheduler.start(SCHEDULER.withSecret("sixteen letters and more"));
                Scheduler insecure = Scheduler.start(SCHEDULER.asInsecure());
                Scheduler loopback = Scheduler.start(SCHEDULER.listen("localhost", 0))) {
            assertThat(secret.port()).isPositive();
            assertThat(insecure.port()).isPositive();
            assertThat(loopback.port()).isPositive();
        }
    }
}
