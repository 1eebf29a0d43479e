package io.psf.cli;

import java.util.Map;

/** Terminates this process when its parent process has ended, so that a killed parent leaves no process behind. */
final class ParentWatch {
    /** The environment variable with the parent's process id. */
    static final String PARENT = "PSF_PARENT";

    private ParentWatch() {}

    @SuppressWarnings("FutureReturnValueIgnored") // the JVM halts
    static void start(Map<String, String> environment) {
        String parent = environment.get(PARENT);
        if (parent == null || parent.isBlank()) {
            return;
        }
        ProcessHandle.of(Long.parseLong(parent.trim()))
                .ifPresentOrElse(handle -> handle.onExit().thenRun(ParentWatch::end), ParentWatch::end);
    }

    /** Terminates at once, without shutdown hooks, since the parent does not need an orderly shutdown any more. */
    private static void end() {
        Runtime.getRuntime().halt(1);
    }
}
