package io.psf.examples.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.io.IOException;
import java.io.StringReader;
import org.junit.jupiter.api.Test;

class BankTableTest {
    @Test
    void cellsAreSplitAndUnquoted() throws IOException {
        BankTable table =
                BankTable.parse(new StringReader("\"age\";\"job\";\"y\"\n58;\"admin.\";\"no\"\n-1;\"\";\"yes\"\n"));
        assertThat(table.header()).containsExactly("age", "job", "y");
        assertThat(table.numbers("age")).containsExactly(58, -1);
        assertThat(table.column("job")).containsExactly("admin.", "");
        assertThat(table.select(new int[] {1, 1}).column("y")).containsExactly("yes", "yes");
    }

    @Test
    void aRowOfAnotherLengthIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> BankTable.parse(new StringReader("a;b\n1;2\n1;2;3\n")))
                .withMessage("cells of row 2: 3 (expected: 2)");
    }

    @Test
    void anUnknownColumnIsNamedTogetherWithThoseThatExist() throws IOException {
        BankTable table = BankTable.parse(new StringReader("a;b\n1;2\n"));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> table.column("c"))
                .withMessage("column: c (expected: one of [a, b])");
    }

    @Test
    void theRealTableIsOnTheClassPath() {
        BankTable table = BankTable.load();
        assertThat(table.rows()).hasSize(45_211);
        assertThat(table.header()).hasSize(17).endsWith("y");
        assertThat(table.column("y")).filteredOn("yes"::equals).hasSize(5_289);
    }
}
