package io.psf.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
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
}
