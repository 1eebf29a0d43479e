package io.psf.runtime.internal.cluster;

import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A file of permissions, which is read again when it changes. Used on the scheduler's lane. */
final class PermissionsFile {
    private static final Logger LOG = LoggerFactory.getLogger(PermissionsFile.class);
    private static final long INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final int MOST_BYTES = 1 << 20;
    private static final Set<PosixFilePermission> OF_OTHERS =
            EnumSet.of(PosixFilePermission.GROUP_READ, PosixFilePermission.OTHERS_READ);

    private final Path file;
    private final boolean hasSecret;
    private byte[] content;
    private Permissions now;
    private long checkedAt = System.nanoTime();
    /** What was wrong at the last check, so that it is logged once; empty for nothing. */
    private String problem = "";

    private PermissionsFile(Path file, boolean hasSecret) {
        this.file = file;
        this.hasSecret = hasSecret;
        this.content = bytes();
        this.now = parse(content);
    }

    /**
     * Reads a file.
     *
     * @param hasSecret true if the cluster has a secret
     * @throws PsException with {@code CONFIGURATION} if it cannot be read, or is wrong
     */
    static PermissionsFile read(Path file, boolean hasSecret) {
        return new PermissionsFile(file, hasSecret);
    }

    Permissions now() {
        return now;
    }

    /**
     * Reads the file again, at most once a second. A file that is wrong is logged, and changes nothing.
     *
     * @return true if the permissions have changed
     */
    boolean hasChanged() {
        long at = System.nanoTime();
        if (at - checkedAt < INTERVAL_NANOS) {
            return false;
        }
        checkedAt = at;
        try {
            byte[] read = bytes();
            if (problem.isEmpty() && Arrays.equals(read, content)) {
                return false;
            }
            Permissions parsed = parse(read);
            content = read;
            problem = "";
            now = parsed;
            LOG.info("the permissions are read again from {}: {}", file, parsed);
            return true;
        } catch (PsException e) {
            if (!e.detail().equals(problem)) {
                problem = e.detail();
                LOG.error("the permissions stay as they are: {}", problem);
            }
            return false;
        }
    }

    private Permissions parse(byte[] bytes) {
        Permissions parsed =
                PermissionsYaml.read(file.toString(), new String(bytes, StandardCharsets.UTF_8), hasSecret);
        if (parsed.hasTokens() && isReadByOthers()) {
            throw new PsException(
                    Code.CONFIGURATION,
                    "PSF_PERMISSIONS: " + file + " has tokens, and its group or others can read it (expected: its owner"
                            + " alone, as after chmod 600)");
        }
        return parsed;
    }

    private byte[] bytes() {
        try (var in = Files.newInputStream(file)) {
            byte[] read = in.readNBytes(MOST_BYTES + 1);
            if (read.length > MOST_BYTES) {
                throw new PsException(
                        Code.CONFIGURATION, "PSF_PERMISSIONS: " + file + ": more than 1 MB (expected: at most 1 MB)");
            }
            return read;
        } catch (IOException e) {
            String why = e instanceof NoSuchFileException ? "no such file" : e.toString();
            throw new PsException(
                    Code.CONFIGURATION,
                    "PSF_PERMISSIONS: " + file + ": " + why + " (expected: a YAML file that can be read)",
                    e);
        }
    }

    private boolean isReadByOthers() {
        try {
            return Files.getPosixFilePermissions(file).stream().anyMatch(OF_OTHERS::contains);
        } catch (UnsupportedOperationException e) {
            return false; // a file system without these
        } catch (IOException e) {
            throw new PsException(Code.CONFIGURATION, "PSF_PERMISSIONS: " + file + ": " + e, e);
        }
    }
}
