package io.psf.benchmarks;

import io.psf.cli.LocalJob;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;

/**
 * Java Flight Recordings of a job's processes.
 *
 * @param folder where they go; it exists
 */
record Recordings(Path folder) {
    static Recordings in(Path folder) throws IOException {
        return new Recordings(Files.createDirectories(folder.toAbsolutePath()));
    }

    /** What a JVM is started with; it names the file after its process. */
    List<String> flags() {
        return List.of(
                "-XX:StartFlightRecording=filename=" + folder + ",settings=profile,dumponexit=true",
                "-Xlog:jfr+startup=error");
    }

    /** Names the recording of a process that has ended after its node: {@code one_worker-server-0.jfr}. */
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
