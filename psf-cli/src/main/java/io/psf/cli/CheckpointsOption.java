package io.psf.cli;

import io.psf.api.PsException;
import io.psf.api.spi.CheckpointStore;
import io.psf.api.spi.CheckpointStores;
import java.io.IOException;
import java.util.Map;
import picocli.CommandLine.Option;

/** The place of checkpoints that a command is for, by an option or a setting. */
final class CheckpointsOption {
    private static final String SETTING = "PSF_CHECKPOINTS";

    @Option(
            names = "--checkpoints",
            paramLabel = "DIR",
            description = "the servers' directory, or another place (PSF_CHECKPOINTS)")
    private String place = "";

    @Option(
            names = {"--classpath", "-cp"},
            paramLabel = "PATH",
            defaultValue = "",
            description = "where a store is, of a place that is no directory: jars and folders, separated by"
                    + " '${sys:path.separator}'")
    private String classPath = "";

    /** Returns the place. The store may find what it needs on the class path of the option for as long as it is used. */
    CheckpointStore place(Map<String, String> environment) {
        if (!classPath.isEmpty()) {
            Thread.currentThread().setContextClassLoader(ClassPathOption.loader(classPath));
        }
        return place("--checkpoints", place, environment);
    }

    /**
     * Opens a place.
     *
     * @param option the option, for messages
     * @param given its value; empty if it is not set
     */
    static CheckpointStore place(String option, String given, Map<String, String> environment) {
        String set = given.isEmpty() ? environment.getOrDefault(SETTING, "") : given;
        if (set.isEmpty()) {
            throw new PsException(
                    PsException.Code.CONFIGURATION,
                    option + ": not set (expected: the directory of the checkpoints; or the setting " + SETTING + ")");
        }
        try {
            return CheckpointStores.open(set);
        } catch (IllegalArgumentException | IOException e) {
            throw new PsException(PsException.Code.CONFIGURATION, option + ": " + e.getMessage(), e);
        }
    }
}
