package io.psf.runtime.internal.transport.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.psf.api.PsException;
import io.psf.runtime.Scheduler;
import io.psf.runtime.SchedulerConfig;
import io.psf.runtime.TestTls;
import io.psf.runtime.Tls;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.KeyPairGenerator;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(60)
final class TlsFilesTest {
    @TempDir
    @SuppressWarnings("NullAway.Init") // by JUnit
    private Path folder;

    private TlsFiles with(Path key) {
        return new TlsFiles(TestTls.NODE.certificate(), key, TestTls.NODE.authority());
    }

    @ParameterizedTest
    @CsvSource({"RSA PRIVATE KEY, a PKCS#1 key", "EC PRIVATE KEY, a SEC1 key", "ENCRYPTED PRIVATE KEY, an encrypted key"
    })
    void anotherKindOfKeyIsRefusedWithTheCommandThatConvertsIt(String kind, String what) throws Exception {
        Path key = folder.resolve("node.key");
        Files.writeString(key, "-----BEGIN " + kind + "-----\nAAAA\n-----END " + kind + "-----\n");
        assertThatThrownBy(() -> with(key))
                .isInstanceOf(PsException.class)
                .hasMessageContaining("CONFIGURATION: PSF_TLS_KEY: " + key + ": \"BEGIN " + kind + "\", " + what)
                .hasMessageContaining("openssl pkey -in " + key + " -out key.pem");
    }

    @Test
    void filesThatAreMissingOrOfAnotherKindAreNamed() throws Exception {
        assertThatThrownBy(() -> with(folder.resolve("none")))
                .hasMessageContaining("PSF_TLS_KEY: " + folder.resolve("none") + ": no such file");
        assertThatThrownBy(() -> with(TestTls.NODE.certificate()))
                .hasMessageContaining("\"BEGIN CERTIFICATE\" (expected: an unencrypted PKCS#8 key");
        assertThatThrownBy(() -> new TlsFiles(TestTls.NODE.key(), TestTls.NODE.key(), TestTls.NODE.authority()))
                .hasMessageContaining("PSF_TLS_CERTIFICATE")
                .hasMessageContaining("a private key (expected: a block \"BEGIN CERTIFICATE\")");
    }

    @ParameterizedTest
    @CsvSource({"EC, the key of another certificate", "RSA, no private key of EC"})
    void aKeyOfAnotherCertificateIsRefused(String algorithm, String found) throws Exception {
        KeyPairGenerator pairs = KeyPairGenerator.getInstance(algorithm);
        pairs.initialize(algorithm.equals("EC") ? 256 : 2048);
        Path key = folder.resolve("other.key");
        Files.writeString(
                key,
                "-----BEGIN PRIVATE KEY-----\n"
                        + Base64.getMimeEncoder()
                                .encodeToString(
                                        pairs.generateKeyPair().getPrivate().getEncoded())
                        + "\n-----END PRIVATE KEY-----\n");
        assertThatThrownBy(() -> with(key)).hasMessageContaining(found);
    }

    @Test
    void newFilesAreUsedOnceTheyBelongTogether() throws Exception {
        Tls next = TestTls.issue("next");
        Path certificate = Files.copy(TestTls.NODE.certificate(), folder.resolve("node.pem"));
        Path key = Files.copy(TestTls.NODE.key(), folder.resolve("node.key"));
        TlsFiles files = new TlsFiles(certificate, key, TestTls.NODE.authority());
        assertThat(own(files)).contains("CN=node,");
        Files.copy(next.certificate(), certificate, StandardCopyOption.REPLACE_EXISTING);
        await().during(Duration.ofMillis(1300))
                .atMost(Duration.ofHours(1))
                .until(() -> own(files).contains("CN=node,"));
        Files.copy(next.key(), key, StandardCopyOption.REPLACE_EXISTING);
        await().forever().until(() -> own(files).contains("CN=next,"));
    }

    /** The certificate in use is valid: with the other one, every connection would fail. */
    @Test
    void anExpiredCertificateWithItsKeyIsNotUsed() throws Exception {
        Tls expired =
                TestTls.of(TestTls.AUTHORITY.issue("old", "san=ip:127.0.0.1", "-startdate", "-10d", "-validity", "5"));
        Path certificate = Files.copy(TestTls.NODE.certificate(), folder.resolve("node.pem"));
        Path key = Files.copy(TestTls.NODE.key(), folder.resolve("node.key"));
        TlsFiles files = new TlsFiles(certificate, key, TestTls.NODE.authority());
        Files.copy(expired.certificate(), certificate, StandardCopyOption.REPLACE_EXISTING);
        Files.copy(expired.key(), key, StandardCopyOption.REPLACE_EXISTING);
        await().during(Duration.ofMillis(1300))
                .atMost(Duration.ofHours(1))
                .until(() -> own(files).contains("CN=node,"));
        Tls next = TestTls.issue("later");
        Files.copy(next.certificate(), certificate, StandardCopyOption.REPLACE_EXISTING);
        Files.copy(next.key(), key, StandardCopyOption.REPLACE_EXISTING);
        await().forever().until(() -> own(files).contains("CN=later,"));
    }

    @Test
    void aNodeDoesNotStartWithAnExpiredCertificate() throws Exception {
        Tls expired =
                TestTls.of(TestTls.AUTHORITY.issue("old", "san=ip:127.0.0.1", "-startdate", "-10d", "-validity", "5"));
        String end = Instant.now().minus(Duration.ofDays(5)).toString().substring(0, 10);
        assertThatThrownBy(() -> Scheduler.start(SchedulerConfig.of(1, 1).withTls(expired)))
                .hasMessageStartingWith("CONFIGURATION: PSF_TLS_CERTIFICATE: " + expired.certificate()
                        + ": the certificate of CN=old, valid from 2")
                .hasMessageContaining(" to " + end)
                .hasMessageEndingWith("Z (expected: valid now)");
    }

    private static String own(TlsFiles files) {
        files.accepting();
        return files.failure(new Exception("Received fatal alert: bad_certificate"))
                        .getMessage() + "";
    }

    @Test
    void noTicketsAreIssued() {
        SSLContext context = Contexts.of(TestTls.NODE);
        assertThat(context.getServerSessionContext().getSessionTimeout()).isGreaterThan(7 * 24 * 3600);
    }
}
