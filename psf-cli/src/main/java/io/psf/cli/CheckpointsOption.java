package io.psf.cli;

import io.psf.api.PsException;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The directory of checkpoints that a command is for, by an option or a setting. */
final class CheckpointsOption {
    private static final String SETTING = "PSF_CHECKPOINTS";

    @Option(names = "--checkpoints", paramLabel = "DIR", description = "the servers' directory (PSF_CHECKPOINTS)")
    private @Nullable Path directory;

    /** Returns the directory. */
    Path directory(Map<String, String> environment) {
        if (directory != null) {
            return directory;
        }
        String set = environment.getOrDefault(SETTING, "");
        if (set.isEmpty()) {
            throw new PsException(
                    PsException.Code.CONFIGURATION,
                    "--checkpoints: not set (expected: the directory of the checkpoints; or the setting " + SETTING
                            + ")");
        }
        return Path.of(set);
    }
}
