package io.psf.runtime.internal.cluster;

import io.psf.api.PsException;
import java.util.Map;

/**
 * The process that started this one as a node of its job. A node that waits for the cluster to form gives up once that
 * process has ended: the other nodes of the job have ended with it.
 */
final class ParentProcess {
    /** The environment variable with the process id. */
    private static final String VARIABLE = "PSF_PARENT";

    private static final long NONE = 0;

    private final long pid;

    private ParentProcess(long pid) {
        this.pid = pid;
    }

    /** Returns the process that an environment names. Without one, the process counts as running. */
    static ParentProcess of(Map<String, String> environment) {
        String pid = environment.getOrDefault(VARIABLE, "").strip();
        return new ParentProcess(pid.isEmpty() ? NONE : Long.parseLong(pid));
    }

    /**
     * Checks that the process runs.
     *
     * @throws PsException with {@code UNAVAILABLE} if it has ended
     */
    void requireRunning() {
        if (pid != NONE && ProcessHandle.of(pid).filter(ProcessHandle::isAlive).isEmpty()) {
            throw new PsException(
                    PsException.Code.UNAVAILABLE,
                    "job: process " + pid + ", which started this node, has ended (expected: running until the cluster"
                            + " is complete)");
        }
    }
}
