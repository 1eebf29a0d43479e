package io.psf.cli;

import java.util.Map;

/** Ends this process when the one that started it is gone, so that a killed parent leaves nothing behind. */
final class ParentWatch {
    /** The variable that names the parent's process id. */
    static final String PARENT = "PSF_PARENT";

    private ParentWatch() {}

    @SuppressWarnings("FutureReturnValueIgnored") // nothing comes after the end
    static void start(Map<String, String> environment) {
        String parent = environment.get(PARENT);
        if (parent == null || parent.isBlank()) {
            return;
        }
        ProcessHandle.of(Long.parseLong(parent.trim()))
                .ifPresentOrElse(handle -> handle.onExit().thenRun(ParentWatch::end), ParentWatch::end);
    }

    /** At once, without shutdown hooks: there is nobody left to hear of an orderly end. */
    private static void end() {
        Runtime.getRuntime().halt(1);
    }
}
