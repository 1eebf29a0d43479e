package io.psf.gpu.report;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** A program of the machine, such as nvidia-smi, whose output is part of the report. */
final class Command {
    private static final int SECONDS = 20;

    private Command() {}

    /** Returns the output of a program; if it cannot be run, a sentence that says so. */
    static String output(String... command) {
        try {
            Path output = Files.createTempFile("psf-command", ".txt");
            try {
                return output(output, command);
            } finally {
                Files.delete(output);
            }
        } catch (IOException e) {
            return "not run: " + e.getMessage();
        }
    }

    private static String output(Path output, String... command) throws IOException {
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            if (!process.waitFor(SECONDS, TimeUnit.SECONDS)) {
                return "not ended after " + SECONDS + " s";
            }
            String text = Files.readString(output, StandardCharsets.ISO_8859_1).strip();
            return process.exitValue() == 0 ? text : "exit code " + process.exitValue() + ": " + text;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "interrupted";
        } finally {
            process.destroyForcibly();
        }
    }
}
