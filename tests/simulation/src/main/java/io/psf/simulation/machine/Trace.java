package io.psf.simulation.machine;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;

/** What happened in a run: a hash of everything, and sentences with the virtual time and the node if they are kept. */
public final class Trace {
    private final Machine machine;
    private final boolean isKept;
    private final List<String> sentences = new ArrayList<>();
    private long hash;

    Trace(Machine machine, long seed, boolean isKept) {
        this.machine = machine;
        this.isKept = isKept;
        this.hash = seed;
    }

    /** Adds a line of a node's log to the trace of the machine that runs, if the thread is one of its. */
    public static void log(String line) {
        Machine machine = Machine.here();
        if (machine != null) {
            machine.trace().say(machine.current().name(), line);
        }
    }

    /** Adds a number to the hash. */
    public void note(long what) {
        hash = (hash ^ what) * 0x9E3779B97F4A7C15L;
        hash ^= hash >>> 29;
    }

    /** Adds a sentence. */
    public void say(String node, String sentence) {
        note(sentence.hashCode());
        add(node, sentence);
    }

    /** Adds a sentence that is made only if it is kept, with a number for the hash. */
    public void say(String node, long what, Supplier<String> sentence) {
        note(what);
        if (isKept) {
            add(node, sentence.get());
        }
    }

    private void add(String node, String sentence) {
        if (isKept) {
            sentences.add(String.format(
                    Locale.ROOT, "%12.6f s  %-10s %s", (machine.now() - Machine.START) / 1e9, node, sentence));
        }
    }

    /** Returns the sentences, in order. */
    public List<String> sentences() {
        return List.copyOf(sentences);
    }

    /** Returns the hash of everything so far. */
    public long hash() {
        return hash;
    }
}
