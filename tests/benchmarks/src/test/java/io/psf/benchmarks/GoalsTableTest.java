package io.psf.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.api.PsException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class GoalsTableTest {
    @TempDir
    private Path folder;

    @Test
    void whatLiesBetweenTheCommentsIsReplacedAndNothingElse() throws IOException {
        Path file = folder.resolve("page.md");
        Files.writeString(file, "before\n" + GoalsTable.BEGIN + "\nold\n" + GoalsTable.END + "\nafter\n");
        for (String content : new String[] {"new", "newer $1 \\"}) {
            GoalsTable.in(file).fill(content);
            assertThat(file)
                    .hasContent(
                            "before\n" + GoalsTable.BEGIN + "\n\n" + content + "\n\n" + GoalsTable.END + "\nafter\n");
        }
    }

    @Test
    void aFileWithoutAPlaceIsRefusedBeforeAnythingIsMeasured() throws IOException {
        Path file = folder.resolve("page.md");
        assertThatThrownBy(() -> GoalsTable.in(file))
                .isInstanceOf(PsException.class)
                .hasMessageContaining("page.md");
        Files.writeString(file, GoalsTable.END + GoalsTable.BEGIN);
        assertThatThrownBy(() -> GoalsTable.in(file)).hasMessageContaining("has no place for the figures");
    }

    @Test
    void theDocumentationHasThePlace() {
        assertThat(GoalsTable.in(Path.of("..", "..", "docs", "performance.md")).file())
                .exists();
    }
}
