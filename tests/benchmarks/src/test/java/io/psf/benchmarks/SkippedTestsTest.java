package io.psf.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class SkippedTestsTest {
    @TempDir
    Path root = Path.of("");

    private void report(String module, String name, String skipped) throws IOException {
        Path folder = Files.createDirectories(root.resolve(module + "/target/surefire-reports"));
        Files.writeString(
                folder.resolve("TEST-" + name + ".xml"),
                "<testsuite><testcase name='ran'/><testcase name='a'>" + skipped + "</testcase><testcase name='b'>"
                        + skipped + "</testcase></testsuite>");
    }

    @Test
    void aLineHasModuleNumberAndReason() throws IOException {
        report("kernels", "A", "<skipped message='Assumption failed: no C++ compiler (expected: c++)' type='x'/>");
        report("kernels", "B", "<skipped message='Assumption failed: no C++ compiler (expected: c++)'/>");
        report(
                "images",
                "C",
                "<skipped type='x'><![CDATA[org.opentest4j.TestAbortedException: npm: not found\n\tat A.b]]></skipped>");
        report("images", "D", "");
        assertThat(SkippedTests.lines(root))
                .containsExactly(
                        "not run: 2 tests of images: npm: not found",
                        "not run: 4 tests of kernels: no C++ compiler (expected: c++)");
    }

    @Test
    void aBuildThatSkipsNothingPrintsNothing() throws IOException {
        report("images", "D", "");
        assertThat(SkippedTests.lines(root)).isEmpty();
    }
}
