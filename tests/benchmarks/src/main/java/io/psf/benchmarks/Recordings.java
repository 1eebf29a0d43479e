package io.psf.benchmarks;

import io.psf.cli.LocalJob;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;

/**
 * The Java Flight Recordings of a job's processes.
 *
 * @param folder the folder of the recordings, which exists
 */
record Recordings(Path folder) {
    static Recordings in(Path folder) throws IOException {
        return new Recordings(Files.createDirectories(folder.toAbsolutePath()));
    }

    /** Returns the flags of a recorded JVM, which names its file after its process id. */
    List<String> flags() {
        return List.of(
                "-XX:StartFlightRecording=filename=" + folder + ",settings=profile,dumponexit=true",
                "-Xlog:jfr+startup=error");
    }

    /** Renames the recording of an ended process after its node: {@code one_worker-server-0.jfr}. */
    void name(LocalJob job, String node, String prefix) throws IOException {
        String glob = "hotspot-pid-" + job.process(node).pid() + "-*.jfr";
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, glob)) {
            for (Path file : files) {
                Path named = folder.resolve(prefix + "-" + node.replace(' ', '-') + ".jfr");
                Files.move(file, named, StandardCopyOption.REPLACE_EXISTING);
                System.out.println("recorded " + named);
            }
        }
    }
}
