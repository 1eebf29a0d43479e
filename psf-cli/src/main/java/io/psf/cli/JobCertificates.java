package io.psf.cli;

import io.psf.api.PsException;
import io.psf.runtime.Settings;
import io.psf.runtime.Tls;
import io.psf.runtime.internal.transport.tls.TlsAuthority;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The certificates of one job with TLS: an authority's of its own, in a directory that this user alone can read. Issued
 * when the job starts, deleted after its end. Thread-safe.
 */
final class JobCertificates implements AutoCloseable {
    private static final String CERTIFICATE = "PSF_TLS_CERTIFICATE";

    /** The name in the certificate of the scheduler and the servers. */
    private static final String NODE = "node";

    /** The name in the certificate of the workers, and of programs that visit the cluster. */
    private static final String WORKER = "worker";

    private final @Nullable Path folder;
    private Map<String, String> ofNodes = Map.of();
    private Map<String, String> ofWorkers = Map.of();
    private boolean isClosed;

    private JobCertificates(@Nullable Path folder) {
        this.folder = folder;
    }

    /** Returns the certificates of a job without TLS, or with the user's certificates. */
    static JobCertificates none() {
        return new JobCertificates(null);
    }

    /**
     * Makes the directory of a job.
     *
     * @param environment the variables of the job's nodes
     * @throws PsException with {@code CONFIGURATION} if they name certificates already
     */
    static JobCertificates of(Map<String, String> environment) {
        Tls own = Settings.of(environment)
                .with(Map.of("PSF_ROLE", "worker", "PSF_SCHEDULER", "127.0.0.1:1"))
                .worker()
                .join()
                .security()
                .tls();
        if (own != null) {
            throw new PsException(
                    PsException.Code.CONFIGURATION,
                    "--tls: certificates made for the job, but %s: %s (expected: only one of them; the connections have TLS with either)"
                            .formatted(CERTIFICATE, own.certificate()));
        }
        try {
            return new JobCertificates(Files.createTempDirectory("psf-tls-").toAbsolutePath()); // the owner's alone
        } catch (IOException e) {
            throw failed(e);
        }
    }

    /**
     * Issues the certificates. Takes about a second.
     *
     * @return a file with the settings of programs beside the job's nodes, such as {@code psf status}; null without TLS
     */
    synchronized @Nullable Path issue() {
        if (folder == null) {
            return null;
        }
        if (isClosed) {
            throw new PsException(PsException.Code.CANCELLED, "certificates: not issued, since the job is being ended");
        }
        try {
            TlsAuthority authority = new TlsAuthority(folder, "authority");
            ofNodes = settings(authority.issue(NODE));
            ofWorkers = settings(authority.issue(WORKER));
            authority.forgetKey();
            return Files.writeString(
                    folder.resolve("psf.yaml"),
                    ofWorkers.entrySet().stream()
                            .map(entry ->
                                    entry.getKey() + ": '" + entry.getValue().replace("'", "''") + "'\n")
                            .collect(Collectors.joining()));
        } catch (IOException e) {
            throw failed(e);
        }
    }

    private static Map<String, String> settings(TlsAuthority.Issued files) {
        return new TreeMap<>(Map.of(
                CERTIFICATE,
                files.certificate().toString(),
                "PSF_TLS_KEY",
                files.key().toString(),
                "PSF_TLS_AUTHORITY",
                files.authority().toString()));
    }

    private static PsException failed(IOException e) {
        return new PsException(
                PsException.Code.CONFIGURATION,
                "--tls: no certificates made (expected: keytool beside java, and a directory for temporary files): "
                        + e.getMessage(),
                e);
    }

    /** Returns the variables of a node; none without TLS. */
    synchronized Map<String, String> environment(boolean isWorker) {
        return isWorker ? ofWorkers : ofNodes;
    }

    /** Deletes the directory. Waits for {@link #issue}. */
    @Override
    public synchronized void close() {
        if (folder == null || isClosed) {
            return;
        }
        isClosed = true;
        try (Stream<Path> all = Files.walk(folder)) {
            for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(each);
            }
        } catch (IOException e) {
            System.err.println("psf: " + folder + ": not deleted: " + e);
        }
    }
}
