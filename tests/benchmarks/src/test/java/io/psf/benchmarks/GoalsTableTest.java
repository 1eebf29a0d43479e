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
    void whatLiesBetweenTheCommentsOfAJdkIsReplacedAndNothingElse() throws IOException {
        Path file = folder.resolve("page.md");
        Files.writeString(file, page("old", "old"));
        for (String content : new String[] {"new", "newer $1 \\"}) {
            GoalsTable.in(file, 25).fill(content);
            assertThat(file).hasContent(page("old", content));
        }
        GoalsTable.in(file, 17).fill("older");
        assertThat(file).hasContent(page("older", "newer $1 \\"));
    }

    private static String page(String older, String newer) {
        return "before\n" + GoalsTable.OLDER + "\n\n" + older + "\n\n" + GoalsTable.END + "\nbetween\n"
                + GoalsTable.NEWER + "\n\n" + newer + "\n\n" + GoalsTable.END + "\nafter\n";
    }

    @Test
    void aFileWithoutAPlaceIsRefusedBeforeAnythingIsMeasured() throws IOException {
        Path file = folder.resolve("page.md");
        assertThatThrownBy(() -> GoalsTable.in(file, 17))
                .isInstanceOf(PsException.class)
                .hasMessageContaining("page.md");
        Files.writeString(file, GoalsTable.END + GoalsTable.OLDER);
        for (int release : new int[] {17, 25}) {
            assertThatThrownBy(() -> GoalsTable.in(file, release)).hasMessageContaining("has no place for the figures");
        }
    }

    @Test
    void theDocumentationHasThePlaces() {
        for (int release : new int[] {17, 25}) {
            assertThat(GoalsTable.in(Path.of("..", "..", "docs", "performance.md"), release)
                            .file())
                    .exists();
        }
    }
}
