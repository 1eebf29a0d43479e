package io.psf.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.runtime.internal.transport.tls.TlsAuthority;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Processes of nodes with certificates, permissions, and neither of them. */
@Tag("long")
@Timeout(120)
class NodeSecurityTest {
    private static final String SECRET = "the secret of the servers";
    private static final String TOKEN = "the token of the dashboard";
    private static final String PERMISSIONS = """
            allow:
              - {name: nodes, roles: [server], functions: [all]}
              - {name: training, certificate: "trainer-*", roles: [worker], functions: [read, pull, push]}
              - {name: dashboard, token: the token of the dashboard, roles: [guest], functions: [read]}
            """;

    @TempDir
    private Path folder;

    private Path permissions() throws IOException {
        Path file = folder.resolve("permissions.yaml");
        Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        return Files.writeString(file, PERMISSIONS);
    }

    /** Returns the settings of a node with a certificate. */
    private static Map<String, String> settings(TlsAuthority authority, String name, String secret) throws IOException {
        TlsAuthority.Issued files = authority.issue(name);
        Map<String, String> settings = new HashMap<>();
        settings.put("PSF_TLS_CERTIFICATE", files.certificate().toString());
        settings.put("PSF_TLS_KEY", files.key().toString());
        settings.put("PSF_TLS_AUTHORITY", files.authority().toString());
        settings.put("PSF_SECRET", secret);
        settings.put("PSF_JOIN_TIMEOUT", "30s");
        return settings;
    }

    @Test
    void rolesCertificatesAndTokensAreWhatAFileOfPermissionsAllows() throws Exception {
        TlsAuthority authority = new TlsAuthority(folder, "cluster");
        Map<String, String> nodes = settings(authority, "node", SECRET);
        nodes.put("PSF_SERVERS", "1");
        nodes.put("PSF_WORKERS", "1+");
        nodes.put("PSF_LIFETIME", "service");
        Map<String, String> ofScheduler = new HashMap<>(nodes);
        ofScheduler.put("PSF_PERMISSIONS", permissions().toString());
        try (PsfProcess scheduler =
                PsfProcess.psf(ofScheduler, "node", "--role", "scheduler", "--scheduler", "127.0.0.1:0")) {
            String address = scheduler.awaitLine("scheduler listening on (\\S+)");
            nodes.put("PSF_SCHEDULER", address);
            Map<String, String> trainer = settings(authority, "trainer-7", SECRET);
            trainer.put("PSF_SCHEDULER", address);
            Map<String, String> other = settings(authority, "other", SECRET);
            other.put("PSF_SCHEDULER", address);
            try (PsfProcess server = PsfProcess.psf(nodes, "node", "--role", "server");
                    PsfProcess training = PsfProcess.child(trainer, "clear")) {
                scheduler.awaitLine("cluster is ready");
                assertThat(training.said())
                        .startsWith("0: ")
                        .contains("over shared memory, agreed to over TLS")
                        .contains("pushed")
                        .contains("failed: PERMISSION_DENIED: ")
                        .contains("psf.clear: not allowed to worker 0 (training)"
                                + " (expected: a rule of PSF_PERMISSIONS that allows it)");
                try (PsfProcess refused = PsfProcess.child(other, "connect")) {
                    assertThat(refused.said())
                            .startsWith("1: ")
                            .contains("PERMISSION_DENIED: role: worker, certificate: other (expected: a rule of"
                                    + " PSF_PERMISSIONS that allows it to this node)");
                }
                other.put("PSF_SECRET", TOKEN);
                try (PsfProcess dashboard = PsfProcess.psf(other, "status", "--once");
                        PsfProcess unknown = PsfProcess.psf(trainer, "status", "--once")) {
                    assertThat(dashboard.said()).startsWith("0: ").containsPattern("server +0 +127.0.0.1:[0-9]+");
                    assertThat(unknown.said())
                            .startsWith("1: ")
                            .contains("PERMISSION_DENIED: role: guest, certificate: trainer-7");
                }
                try (PsfProcess stop = PsfProcess.psf(other, "stop")) {
                    assertThat(stop.said()).startsWith("1: ").contains("PERMISSION_DENIED: ");
                }
                assertThat(server.process().isAlive()).isTrue();
            }
        }
    }

    @Test
    void aNodeBeyondLoopbackWithoutASecretRefusesToStart() throws Exception {
        String sentence =
                ": 0.0.0.0, without a secret and TLS, so that whoever reaches it could read and change the model"
                        + " (expected: PSF_SECRET, or PSF_TLS_CERTIFICATE, PSF_TLS_KEY and PSF_TLS_AUTHORITY; or 127.0.0.1; or"
                        + " PSF_INSECURE=true in a network that nobody else reaches)";
        Map<String, String> size = Map.of("PSF_SERVERS", "1", "PSF_WORKERS", "1", "PSF_SCHEDULER", "0.0.0.0:0");
        try (PsfProcess scheduler = PsfProcess.psf(size, "scheduler")) {
            assertThat(scheduler.said()).isEqualTo("2: psf: address of a scheduler" + sentence);
        }
        Map<String, String> insecure = new HashMap<>(size);
        insecure.put("PSF_INSECURE", "true");
        try (PsfProcess scheduler = PsfProcess.psf(insecure, "scheduler")) {
            String port = scheduler.awaitLine("scheduler listening on 0.0.0.0:(\\d+)");
            scheduler.awaitLine(
                    "WARN .*scheduler on 0.0.0.0 without PSF_SECRET and TLS: whoever reaches it may read and"
                            + " change the model");
            Map<String, String> server = new HashMap<>(Map.of(
                    "PSF_SCHEDULER", "127.0.0.1:" + port, "PSF_LISTEN", "0.0.0.0:0", "PSF_ADVERTISE", "127.0.0.1"));
            try (PsfProcess refused = PsfProcess.psf(server, "server")) {
                assertThat(refused.said()).isEqualTo("2: psf: address of a server" + sentence);
            }
            server.put("PSF_INSECURE", "true");
            try (PsfProcess started = PsfProcess.psf(server, "server")) {
                scheduler.awaitLine("server joined from 127.0.0.1:\\d+ \\(1 of 1 servers, 0 of 1 workers\\)");
                assertThat(started.process().isAlive()).isTrue();
            }
        }
    }
}
