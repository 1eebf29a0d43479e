package io.psf.runtime.internal.transport.tls;

import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A file of text blocks in the PEM format.
 *
 * @param setting the setting that names the file, for messages
 * @param text read at once, since the file may be replaced
 */
record Pem(String setting, Path file, String text) {
    private static final Pattern BLOCK =
            Pattern.compile("-----BEGIN ([A-Z0-9 ]+)-----([^-]*)-----END \\1-----", Pattern.DOTALL);

    /** No file of certificates is longer. */
    private static final long MOST_BYTES = 1 << 20;

    /**
     * Reads a file.
     *
     * @throws PsException with {@code CONFIGURATION} if it cannot be read
     */
    static Pem read(String setting, Path file) {
        try {
            long length = Files.size(file);
            if (length > MOST_BYTES) {
                throw invalid(setting, file, length + " bytes", "a PEM file of at most " + MOST_BYTES, null);
            }
            return new Pem(setting, file, new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1));
        } catch (NoSuchFileException e) {
            throw invalid(setting, file, "no such file", "a PEM file", e);
        } catch (IOException e) {
            throw invalid(setting, file, e.toString(), "a PEM file that can be read", e);
        }
    }

    private static PsException invalid(
            String setting, Path file, String found, String expected, @Nullable Exception e) {
        return new PsException(
                Code.CONFIGURATION, setting + ": " + file + ": " + found + " (expected: " + expected + ")", e);
    }

    PsException invalid(String found, String expected, @Nullable Exception cause) {
        return invalid(setting, file, found, expected, cause);
    }

    /** Returns the certificates in the file, at least one, in its order. */
    X509Certificate[] certificates() {
        List<X509Certificate> all = new ArrayList<>();
        Matcher blocks = BLOCK.matcher(text);
        while (blocks.find()) {
            if (blocks.group(1).equals("CERTIFICATE") || blocks.group(1).equals("X509 CERTIFICATE")) {
                try {
                    all.add((X509Certificate) CertificateFactory.getInstance("X.509")
                            .generateCertificate(new ByteArrayInputStream(bytes(blocks.group(2)))));
                } catch (CertificateException e) {
                    throw invalid("certificate " + (all.size() + 1) + ": " + e.getMessage(), "X.509", e);
                }
            }
        }
        if (all.isEmpty()) {
            throw invalid(found(), "a block \"BEGIN CERTIFICATE\"", null);
        }
        return all.toArray(X509Certificate[]::new);
    }

    /**
     * Returns the private key in the file.
     *
     * @param algorithm the algorithm of the key, as of its certificate
     */
    PrivateKey key(String algorithm) {
        Matcher blocks = BLOCK.matcher(text);
        while (blocks.find()) {
            if (blocks.group(1).equals("PRIVATE KEY")) {
                try {
                    return KeyFactory.getInstance(algorithm)
                            .generatePrivate(new PKCS8EncodedKeySpec(bytes(blocks.group(2))));
                } catch (InvalidKeySpecException e) {
                    throw invalid("no private key of " + algorithm, "the key of the certificate, as PKCS#8", e);
                } catch (GeneralSecurityException e) {
                    throw invalid(e.toString(), "a key that this JVM supports", e);
                }
            }
        }
        throw invalid(
                found(),
                "an unencrypted PKCS#8 key, a block \"BEGIN PRIVATE KEY\"; openssl pkey -in " + file
                        + " -out key.pem writes one",
                null);
    }

    /** Returns the kind of the first block, for messages. */
    private String found() {
        Matcher first =
                Pattern.compile("-----BEGIN ([A-Z0-9 ]+ KEY|CERTIFICATE)-----").matcher(text);
        if (!first.find()) {
            return "no PEM block";
        }
        String kind = first.group(1);
        return "\"BEGIN " + kind + "\""
                + switch (kind) {
                    case "RSA PRIVATE KEY" -> ", a PKCS#1 key";
                    case "EC PRIVATE KEY" -> ", a SEC1 key";
                    case "ENCRYPTED PRIVATE KEY" -> ", an encrypted key";
                    case "PRIVATE KEY" -> ", a private key";
                    default -> "";
                };
    }

    private byte[] bytes(String base64) {
        try {
            return Base64.getMimeDecoder().decode(base64);
        } catch (IllegalArgumentException e) {
            throw invalid("a block that is damaged: " + e.getMessage(), "Base64", e);
        }
    }
}
