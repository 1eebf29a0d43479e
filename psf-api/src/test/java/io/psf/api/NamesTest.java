package io.psf.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.management.ManagementFactory;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Names, and the texts of messages that quote them. */
final class NamesTest {
    @Test
    void aPrintableTextStaysOnOneLine() {
        assertThat(Names.printable("a\nERROR forged\r\u001b[2J\u2028\u2029\u202e"))
                .isEqualTo("a\\u000aERROR forged\\u000d\\u001b[2J\\u2028\\u2029\\u202e");
        String usual = "größe 東京 \"x\" \\u000a";
        assertThat(Names.printable(usual)).isSameAs(usual);
    }

    /** Found by fuzzing: a formatter for each of a peer's characters took 600 bytes of the heap. */
    @Test
    void anEscapedCharacterTakesFewBytes() {
        String controls = "\u0001".repeat(1000);
        Names.printable(controls); // loads the classes
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();
        String printable = Names.printable(controls);
        long took = threads.getCurrentThreadAllocatedBytes() - before;
        assertThat(printable).isEqualTo("\\u0001".repeat(1000));
        assertThat(took).isLessThan(200 * 1000);
    }

    @Test
    void aRefusedNameWritesNoLine() {
        assertThatThrownBy(() -> TensorId.of("a\nb"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("\"a\\u000ab\" (expected: 1 to 200 printable characters)")
                .hasMessageNotContaining("\n");
    }

    @Test
    void anErrorStaysOnOneLineWhateverItQuotes() {
        PsException error = new PsException(PsException.Code.PROTOCOL, "feature: \"a\nb\"");
        assertThat(error.detail()).isEqualTo("feature: \"a\\u000ab\"");
        assertThat(error).hasMessage("PROTOCOL: feature: \"a\\u000ab\"");
        assertThat(error.at("f\n", "t\r", "s\n", "server\n"))
                .hasMessage("PROTOCOL: feature: \"a\\u000ab\" in f\\u000a on tensor \"t\\u000d\", slice s\\u000a,"
                        + " server\\u000a");
    }

    @Test
    void aNameIsPrintable() {
        for (String end :
                List.of("\n", "\r", "\u001b[2J", "\u0085", "\u2028", "\u2029", "\u202e", "\u2066", "\u200f")) {
            assertThatThrownBy(() -> Names.requireName("tensor", "w" + end))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("name of tensor: \"" + Names.printable("w" + end)
                            + "\" (expected: 1 to 200 printable characters)");
        }
        assertThatThrownBy(() -> Names.requireName("tensor", "x".repeat(100_000)))
                .hasMessage("name of tensor: \"" + "x".repeat(200)
                        + "..\", 100000 characters (expected: 1 to 200 printable" + " characters)");
        assertThat(Names.requireName("tensor", "Gewichte é 重み \ud83d\ude80")).isNotEmpty();
    }

    @Test
    void aFailureIsLoggedAsItIsUnlessOneOfItsMessagesForgesALine() {
        IllegalStateException plain = new IllegalStateException("plain", new IllegalArgumentException("cause"));
        assertThat(Names.printable(plain)).isSameAs(plain);
        IllegalStateException deep =
                new IllegalStateException("given", new IllegalArgumentException("x\nERROR forged"));
        deep.addSuppressed(new UnsupportedOperationException("y\u2028forged"));
        StringWriter text = new StringWriter();
        Names.printable(deep).printStackTrace(new PrintWriter(text, true));
        assertThat(text.toString())
                .contains("java.lang.IllegalStateException: given")
                .contains("java.lang.IllegalArgumentException: x\\u000aERROR forged")
                .contains("java.lang.UnsupportedOperationException: y\\u2028forged")
                .contains("at io.psf.api.NamesTest.aFailureIsLoggedAsItIs")
                .doesNotContain("\nERROR", "\u2028");
        IllegalStateException circle = new IllegalStateException("a\n");
        circle.initCause(new IllegalStateException("b", circle));
        assertThat(Names.printable(circle)).hasMessageContaining("a\\u000a");
    }
}
