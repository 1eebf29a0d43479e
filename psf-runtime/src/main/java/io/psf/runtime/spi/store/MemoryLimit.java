package io.psf.runtime.spi.store;

import com.sun.management.OperatingSystemMXBean;
import io.psf.api.PsException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.function.LongSupplier;

/**
 * The limit on the memory of a server's tensors: a setting, or what the machine has. Memory that a system promises and
 * does not have ends the process when it is touched. Thread-safe.
 */
public final class MemoryLimit {
    /** The setting that gives the limit, for messages. */
    public static final String SETTING = "PSF_TENSOR_MEMORY";

    /** No limit. */
    public static final MemoryLimit NONE = new MemoryLimit(Long.MAX_VALUE, () -> Long.MAX_VALUE, "none");

    private static final SystemMemory SYSTEM = new SystemMemory(Path.of("/"));

    private final long most;
    private final LongSupplier free;
    private final String source;

    /**
     * Creates a limit.
     *
     * @param most the most bytes
     * @param free supplies the bytes that the machine has left
     * @param source where the limit is from, for messages
     */
    MemoryLimit(long most, LongSupplier free, String source) {
        this.most = most;
        this.free = free;
        this.source = source;
    }

    /**
     * Returns the limit of a setting.
     *
     * @param setting the most bytes; 0 for seven eighths of the memory of the machine, or of the container, of which at
     *     most as much is given as the system says is available
     */
    public static MemoryLimit of(long setting) {
        if (setting > 0) {
            return new MemoryLimit(setting, () -> Long.MAX_VALUE, SETTING);
        }
        long all =
                ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getTotalMemorySize();
        return new MemoryLimit(
                all / 8 * 7,
                SYSTEM::available,
                "seven eighths of the memory of the machine or container; " + SETTING + " sets another");
    }

    /** Returns the most bytes of all tensors. */
    long most() {
        return most;
    }

    /** Returns the bytes that the machine has left. */
    long free() {
        return free.getAsLong();
    }

    /**
     * Returns the error of memory that is not left.
     *
     * @param what the owner of the memory
     * @param bytes the bytes that are asked for
     * @param allocated the bytes that tensors of the server have
     * @param givenUp the part of these bytes that dropped tensors have until a garbage collection
     */
    PsException exceeded(String what, long bytes, long allocated, long givenUp) {
        long left = Math.max(0, Math.min(most - allocated, free()));
        return new PsException(
                PsException.Code.RESOURCE_EXHAUSTED,
                "memory for " + what + ": " + bytes + " bytes (expected: at most " + left + ", the free part of "
                        + most + ", the limit for the tensors of this server: " + source
                        + (givenUp > 0 ? "; tensors that were dropped have " + givenUp + " until a collection" : "")
                        + ")");
    }
}
