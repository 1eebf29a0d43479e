package io.psf.runtime;

import io.psf.api.spi.OwnerFiles;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/**
 * An authority that issues certificates for demos and tests, with the JDK's {@code keytool}. Its key lies unprotected in a
 * folder: a cluster of more than one machine has an authority of its own.
 */
public final class TlsAuthority {
    /** No secret: the key stores are in a folder of the user, next to the keys. */
    private static final String PASSWORD = "changeit";

    private static final int SECONDS = 60;

    private final Path folder;
    private final String name;
    private final Path certificate;

    /**
     * Creates an authority. Takes about a second.
     *
     * @param folder for its files, which must exist
     * @param name the CN of its certificate
     */
    public TlsAuthority(Path folder, String name) throws IOException {
        this.folder = folder;
        this.name = name;
        this.certificate = folder.resolve(name + ".pem");
        OwnerFiles.createDirectories(folder.resolve(name + ".private"));
        Files.deleteIfExists(store());
        pair(store(), "CN=" + name, List.of("-ext", "bc:c", "-validity", "3650"));
        keytool(store(), "-exportcert", "-alias", "psf", "-rfc", "-file", certificate.toString());
    }

    /** Its directory is its owner's alone: {@code keytool} has no setting for the permissions of a file. */
    private Path store() {
        return certificate.resolveSibling(name + ".private").resolve("authority.p12");
    }

    /** Returns the file with the authority's certificate. */
    public Path certificate() {
        return certificate;
    }

    /** Returns the files of a node whose certificate is for 127.0.0.1 and localhost, valid for a year. */
    public Tls issue(String name) throws IOException {
        return issue(name, "san=ip:127.0.0.1,dns:localhost", "-validity", "365");
    }

    /**
     * Returns the files of a node.
     *
     * @param name the CN of its certificate
     * @param extension of the certificate, in the form of {@code keytool -ext}
     * @param more arguments of {@code keytool -gencert}
     */
    public Tls issue(String name, String extension, String... more) throws IOException {
        String file = name + "-" + UUID.randomUUID();
        Path keys = store().resolveSibling(file + ".p12");
        Path request = folder.resolve(file + ".csr");
        Path issued = folder.resolve(file + ".pem");
        Path key = folder.resolve(file + ".key");
        pair(keys, "CN=" + name, List.of());
        keytool(keys, "-certreq", "-alias", "psf", "-file", request.toString());
        List<String> arguments = new ArrayList<>(List.of("-gencert", "-alias", "psf", "-rfc", "-ext", extension));
        arguments.addAll(List.of("-infile", request.toString(), "-outfile", issued.toString()));
        arguments.addAll(Arrays.asList(more));
        keytool(store(), arguments.toArray(String[]::new));
        try (FileChannel written = OwnerFiles.create(key)) {
            written.write(ByteBuffer.wrap(key(keys).getBytes(StandardCharsets.US_ASCII)));
        }
        Files.delete(keys);
        Files.delete(request);
        return new Tls(issued, key, certificate);
    }

    private static void pair(Path store, String subject, List<String> more) throws IOException {
        List<String> arguments = new ArrayList<>(List.of("-genkeypair", "-alias", "psf", "-dname", subject));
        arguments.addAll(List.of("-keyalg", "EC", "-groupname", "secp256r1"));
        arguments.addAll(more);
        keytool(store, arguments.toArray(String[]::new));
    }

    private static String key(Path store) throws IOException {
        try (InputStream in = Files.newInputStream(store)) {
            KeyStore keys = KeyStore.getInstance("PKCS12");
            keys.load(in, PASSWORD.toCharArray());
            byte[] key = keys.getKey("psf", PASSWORD.toCharArray()).getEncoded();
            return "-----BEGIN PRIVATE KEY-----\n"
                    + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(key)
                    + "\n-----END PRIVATE KEY-----\n";
        } catch (GeneralSecurityException e) {
            throw new IOException(store + ": " + e.getMessage(), e);
        }
    }

    private static void keytool(Path store, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString()));
        command.addAll(Arrays.asList(arguments));
        command.addAll(List.of("-keystore", store.toString(), "-storetype", "PKCS12", "-storepass", PASSWORD));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        try {
            if (!process.waitFor(SECONDS, TimeUnit.SECONDS) || process.exitValue() != 0) {
                throw new IOException("keytool: " + output);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("keytool: interrupted", e);
        } finally {
            process.destroyForcibly();
        }
    }
}
