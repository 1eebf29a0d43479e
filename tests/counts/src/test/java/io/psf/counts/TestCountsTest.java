package io.psf.counts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class TestCountsTest {
    @TempDir
    Path root = Path.of("");

    private Path report(String module, String name, String inCase) throws IOException {
        Path folder = Files.createDirectories(root.resolve(module + "/target/surefire-reports"));
        return Files.writeString(
                folder.resolve("TEST-" + name + ".xml"),
                "<testsuite><testcase classname='x.A' name='ran'/><testcase classname='x.A' name='a'>" + inCase
                        + "</testcase><testcase classname='x.A' name='b'>" + inCase + "</testcase></testsuite>");
    }

    private List<String> lines() throws IOException {
        return new TestCounts(root, Instant.EPOCH).lines();
    }

    @Test
    void aTestThatWasNotRunIsCountedWithItsReason() throws IOException {
        report("kernels", "A", "<skipped message='Assumption failed: no C++ compiler (expected: c++)' type='x'/>");
        report("kernels", "B", "<skipped message='Assumption failed: no C++ compiler (expected: c++)'/>");
        report(
                "tests/images",
                "C",
                "<skipped type='x'><![CDATA[org.opentest4j.TestAbortedException: npm: not found\n\tat A.b]]></skipped>");
        report("tests/images", "D", "");
        assertThat(lines())
                .containsExactly(
                        "     6 tests of images",
                        "     6 tests of kernels",
                        "[WARNING] not run: 2 tests of images: npm: not found",
                        "[WARNING] not run: 4 tests of kernels: no C++ compiler (expected: c++)",
                        "6 passed, 0 failed, 6 skipped");
    }

    @Test
    void aFailureIsNamedAndFailsTheBuild() throws IOException {
        report("kernels", "A", "<error message='no'/>");
        assertThat(lines())
                .contains("[ERROR] failed: kernels: x.A.a", "[ERROR] failed: kernels: x.A.b")
                .endsWith("1 passed, 2 failed, 0 skipped");
        assertThatThrownBy(new TestCounts(root, Instant.EPOCH)::requireNoFailure)
                .hasMessage("2 tests have failed (expected: 0)");
    }

    @Test
    void aReportOfAnEarlierBuildIsNotCounted() throws IOException {
        Files.setLastModifiedTime(
                report("kernels", "A", "<failure/>"), FileTime.from(Instant.parse("2026-01-01T00:00:00Z")));
        assertThat(new TestCounts(root, Instant.parse("2026-01-01T00:00:01Z")).lines())
                .containsExactly("0 passed, 0 failed, 0 skipped");
    }
}
