package io.psf.runtime.internal.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.api.PsException;
import io.psf.api.Role;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class TrustTest {
    private static final String SECRET = "the secret of all nodes";
    private static final String TOKEN = "the token of training";
    private static final byte[] NONCE = new byte[16];

    @TempDir
    Path folder;

    private Path file;

    @BeforeEach
    void write() throws Exception {
        file = folder.resolve("permissions.yaml");
        Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.writeString(file, """
                allow:
                  - {name: training, token: the token of training, roles: [worker], functions: [push]}
                  - {name: both, token: the token of training, certificate: t*r, roles: [worker], functions: [admin]}
                  - {name: serving, certificate: "serving-*", roles: [client], functions: [pull]}
                  - {name: nodes, roles: [server, worker], functions: [read]}
                """);
    }

    private static String require(Trust trust, Role role, @Nullable String secret, @Nullable String certificate) {
        Join.Request join = Join.Request.of(role, -1, "", 0);
        byte[] credential = new SharedSecret(secret).credential(join, NONCE);
        return trust.require(join.with(credential), NONCE, certificate, role.label());
    }

    private static void assertDenied(
            PsException.Code code, Trust trust, Role role, @Nullable String secret, @Nullable String certificate) {
        assertThatThrownBy(() -> require(trust, role, secret, certificate))
                .isInstanceOfSatisfying(
                        PsException.class, e -> assertThat(e.code()).isEqualTo(code))
                .hasMessageNotContaining(SECRET)
                .hasMessageNotContaining(TOKEN);
    }

    @Test
    void theGrantHasTheEntriesThatHoldForTheNode() {
        Trust trust = Trust.of(SECRET, file);
        assertThat(require(trust, Role.WORKER, TOKEN, null)).isEqualTo("training");
        assertThat(require(trust, Role.WORKER, TOKEN, "trainer")).isEqualTo("training,both@trainer");
        assertThat(require(trust, Role.WORKER, SECRET, "trainer")).isEqualTo("nodes@trainer");
        assertThat(require(trust, Role.SERVER, SECRET, null)).isEqualTo("nodes");
        assertThat(require(trust, Role.CLIENT, SECRET, "serving-7")).isEqualTo("serving@serving-7");
        assertThat(require(trust, Role.CLIENT, TOKEN, "serving-7")).isEqualTo("serving@serving-7");
        assertDenied(PsException.Code.PERMISSION_DENIED, trust, Role.CLIENT, SECRET, "x-serving-7");
        assertDenied(PsException.Code.PERMISSION_DENIED, trust, Role.CLIENT, SECRET, null);
        assertDenied(PsException.Code.PERMISSION_DENIED, trust, Role.SERVER, TOKEN, "trainer");
        assertDenied(PsException.Code.BAD_REQUEST, trust, Role.WORKER, "another secret of 16", "trainer");
        assertDenied(PsException.Code.BAD_REQUEST, trust, Role.CLIENT, null, "serving-7");
    }

    @Test
    void aClusterWithoutASecretHasTokensAndCertificates() throws Exception {
        Files.writeString(file, Files.readString(file).lines().limit(4).reduce("", (a, b) -> a + b + "\n"));
        Trust trust = Trust.of(null, file);
        assertThat(require(trust, Role.CLIENT, null, "serving-7")).isEqualTo("serving@serving-7");
        assertThat(require(trust, Role.WORKER, TOKEN, null)).isEqualTo("training");
        assertDenied(PsException.Code.PERMISSION_DENIED, trust, Role.WORKER, null, "trainer");
        assertDenied(PsException.Code.BAD_REQUEST, trust, Role.CLIENT, "a wrong secret of 16", "serving-7");
    }

    @Test
    void anotherGrantOrCertificateThanThatOfTheTicketIsRefused() {
        Tickets tickets = Tickets.fresh();
        Ticket ticket = tickets.of(Role.WORKER, 3, 1, "training@trainer");
        Ticket other = new Ticket(Role.WORKER, 3, 1, tickets.cluster(), ticket.secret(), "admin@trainer");
        io.psf.api.Member host = new io.psf.api.Member(Role.SERVER, 0, "", 0);
        tickets.require(ticket.hello(host, 5, 0, NONCE), NONCE, Role.SERVER, 0);
        assertThatThrownBy(() -> tickets.require(other.hello(host, 5, 0, NONCE), NONCE, Role.SERVER, 0))
                .hasMessageContaining("proof of worker 3: wrong");
        Grant grant = Grant.of("training@trainer");
        grant.requireCertificate("trainer");
        assertThatThrownBy(() -> grant.requireCertificate("admin"))
                .hasMessageContaining("certificate of the connection: admin (expected:");
        assertThatThrownBy(() -> grant.requireCertificate(null)).hasMessageContaining("none (expected:");
        assertThatThrownBy(() -> Grant.of("training").requireCertificate("trainer"))
                .hasMessageContaining("trainer (expected:");
        Grant.NONE.requireCertificate("trainer");
        assertThat(Grant.of("a,b@c@d,e").text()).isEqualTo("a,b@c@d,e");
    }
}
