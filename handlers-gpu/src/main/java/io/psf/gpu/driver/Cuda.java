package io.psf.gpu.driver;

import io.psf.api.PsException;
import java.util.Optional;

/**
 * Tells whether this JVM can use CUDA. This class loads without JCuda, its natives and the driver: the others are used
 * only if {@link #unavailable} is empty.
 */
public final class Cuda {
    private static final String FAILURE = "UnsatisfiedLinkError: ";

    /**
     * The reason why CUDA cannot be used; empty if it can. Found once: a class of JCuda that has failed to load stays
     * so.
     */
    private static final class Probe {
        static final Optional<String> REASON = probe();
    }

    private Cuda() {}

    /** Returns the reason, in a sentence without a period, why this JVM cannot use CUDA; empty if it can. */
    public static Optional<String> unavailable() {
        return Probe.REASON;
    }

    /**
     * Returns the version of CUDA that the driver supports, for example 12.8. CUDA must be {@link #unavailable
     * available}.
     */
    public static String driverVersion() {
        int version = Loader.version();
        return version / 1000 + "." + version % 1000 / 10;
    }

    private static Optional<String> probe() {
        try {
            return Loader.load();
        } catch (LinkageError e) {
            return Optional.of(reason(e));
        }
    }

    /** Returns the reason for a library that cannot be loaded, in a sentence. */
    static String reason(Throwable failure) {
        StringBuilder all = new StringBuilder();
        for (Throwable each = failure; each != null; each = each.getCause()) {
            all.append(each.getMessage()).append('\n');
        }
        String text = all.toString();
        if (text.contains("libcuda.so") || text.contains("nvcuda.dll")) {
            return "there is no CUDA driver: libcuda.so.1 cannot be loaded";
        }
        if (text.contains("No resource found")) {
            return "JCuda has no library for this platform (" + System.getProperty("os.name") + ", "
                    + System.getProperty("os.arch") + ")";
        }
        if (failure instanceof NoClassDefFoundError && text.contains("jcuda/")) {
            return "JCuda is not on the class path";
        }
        return "JCuda cannot be loaded: " + lastFailure(text);
    }

    /**
     * Returns the last failure that a text of JCuda quotes, which is the failure of its last attempt; else the first
     * line.
     */
    private static String lastFailure(String text) {
        int last = text.lastIndexOf(FAILURE);
        String from = last < 0 ? text : text.substring(last + FAILURE.length());
        int end = from.indexOf('\n');
        return end < 0 ? from : from.substring(0, end);
    }

    /**
     * Checks the result of a call of the driver.
     *
     * @param result the {@code CUresult}
     * @param what what failed, for the message
     * @throws PsException with {@code RESOURCE_EXHAUSTED} if the device has too little memory, otherwise with {@code
     *     INTERNAL}
     */
    public static void check(int result, String what) {
        if (result != 0) {
            throw failure(result, what);
        }
    }

    static PsException failure(int result, String what) {
        PsException.Code code =
                result == Loader.OUT_OF_MEMORY ? PsException.Code.RESOURCE_EXHAUSTED : PsException.Code.INTERNAL;
        return new PsException(code, Device.failed(result, what) + ": " + Loader.text(result));
    }
}
