package io.psf.runtime.internal.transport.tls;

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
 * An authority that issues certificates for jobs on one machine and for tests, with the JDK's {@code keytool}. Its key
 * lies unprotected in a folder: a cluster of more than one machine has an authority of its own. Thread-safe.
 */
public final class TlsAuthority {
    /** No secret: the key stores are in a folder of the user, next to the keys. */
    private static final String PASSWORD = "changeit";

    /** The alias of the authority's key. */
    private static final String AUTHORITY = "authority";

    /** The alias of a node's key. */
    private static final String NODE = "node";

    /** Flags of keytool's JVM, which lives for a fraction of a second. */
    private static final List<String> QUICK = List.of("-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC");

    private static final int SECONDS = 60;

    private final Path folder;
    /** The owner's alone: {@code keytool} has no setting for the permissions of a file. */
    private final Path secrets;

    private final Path certificate;

    /**
     * The files of a node.
     *
     * @param certificate the node's certificate
     * @param key its key
     * @param authority the certificate of the authority
     */
    public record Issued(Path certificate, Path key, Path authority) {}

    /**
     * Creates an authority. Takes about half a second.
     *
     * @param folder for its files, which must exist
     * @param name the CN of its certificate
     * @throws IOException if {@code keytool} fails, with its output
     */
    public TlsAuthority(Path folder, String name) throws IOException {
        this.folder = folder;
        this.secrets = OwnerFiles.createDirectories(folder.resolve(name + ".private"));
        this.certificate = folder.resolve(name + ".pem");
        Files.deleteIfExists(store());
        pair(store(), AUTHORITY, name, "bc:c", "-validity", "3650");
        try {
            Files.writeString(
                    certificate,
                    pem("CERTIFICATE", read(store()).getCertificate(AUTHORITY).getEncoded()));
        } catch (GeneralSecurityException e) {
            throw new IOException(store() + ": " + e.getMessage(), e);
        }
    }

    private Path store() {
        return secrets.resolve("authority.p12");
    }

    /** Returns the file with the authority's certificate. */
    public Path certificate() {
        return certificate;
    }

    /** Returns the files of a node whose certificate is for 127.0.0.1, ::1 and localhost, valid for a year. */
    public Issued issue(String name) throws IOException {
        return issue(name, "san=ip:127.0.0.1,ip:::1,dns:localhost", "-validity", "365");
    }

    /**
     * Returns the files of a node. Takes about half a second.
     *
     * @param name the CN of its certificate
     * @param extension of the certificate, in the form of {@code keytool -ext}
     * @param more arguments of {@code keytool -genkeypair}
     */
    public Issued issue(String name, String extension, String... more) throws IOException {
        String file = name + "-" + UUID.randomUUID();
        Path issued = folder.resolve(file + ".pem");
        Path key = folder.resolve(file + ".key");
        Path keys = Files.copy(store(), secrets.resolve(file + ".p12"));
        List<String> arguments = new ArrayList<>(List.of("-signer", AUTHORITY));
        arguments.addAll(Arrays.asList(more));
        pair(keys, NODE, name, extension, arguments.toArray(String[]::new));
        try {
            KeyStore made = read(keys);
            Files.writeString(
                    issued, pem("CERTIFICATE", made.getCertificate(NODE).getEncoded()));
            String text =
                    pem("PRIVATE KEY", made.getKey(NODE, PASSWORD.toCharArray()).getEncoded());
            try (FileChannel written = OwnerFiles.create(key)) {
                written.write(ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII)));
            }
        } catch (GeneralSecurityException e) {
            throw new IOException(keys + ": " + e.getMessage(), e);
        }
        Files.delete(keys);
        return new Issued(issued, key, certificate);
    }

    /** Deletes the key of the authority, which issues no more certificates. */
    public void forgetKey() throws IOException {
        Files.delete(store());
        Files.delete(secrets);
    }

    private static KeyStore read(Path store) throws IOException, GeneralSecurityException {
        try (InputStream in = Files.newInputStream(store)) {
            KeyStore keys = KeyStore.getInstance("PKCS12");
            keys.load(in, PASSWORD.toCharArray());
            return keys;
        }
    }

    private static String pem(String kind, byte[] bytes) {
        return "-----BEGIN " + kind + "-----\n"
                + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(bytes)
                + "\n-----END " + kind + "-----\n";
    }

    /** Makes a key and its certificate with {@code keytool -genkeypair}. */
    private static void pair(Path store, String alias, String name, String extension, String... more)
            throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString()));
        command.addAll(QUICK);
        command.addAll(List.of("-genkeypair", "-alias", alias, "-dname", "CN=" + name, "-ext", extension));
        command.addAll(List.of("-keyalg", "EC", "-groupname", "secp256r1"));
        command.addAll(Arrays.asList(more));
        command.addAll(List.of("-keystore", store.toString(), "-storetype", "PKCS12", "-storepass", PASSWORD));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        try {
            if (!process.waitFor(SECONDS, TimeUnit.SECONDS) || process.exitValue() != 0) {
                throw new IOException("keytool: " + output.strip());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("keytool: interrupted", e);
        } finally {
            process.destroyForcibly();
        }
    }
}
