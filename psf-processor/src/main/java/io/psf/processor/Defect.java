package io.psf.processor;

import java.util.Arrays;
import java.util.stream.Collectors;

/**
 * A defect of the processor itself: an unexpected exception while an element was read, or its sources were emitted.
 *
 * @param element the element's name
 * @param exception the exception
 */
record Defect(String element, RuntimeException exception) {
    static final String ID = "PsfDefect";

    private static final int FRAMES = 8;

    /** True if the compiler threw the exception, which it handles itself: for example, a class file is missing. */
    static boolean isOfCompiler(RuntimeException exception) {
        return exception.getClass().getName().startsWith("com.sun.tools.javac.");
    }

    /** Returns the message, with the exception and its first stack frames. */
    String text() {
        String frames = Arrays.stream(exception.getStackTrace())
                .limit(FRAMES)
                .map(frame -> "\n    at " + frame)
                .collect(Collectors.joining());
        return "[" + ID + "] the annotation processor failed on " + element
                + " (expected: generated code, or a problem of the source). This is a defect of psf-processor: report"
                + " it with the source of " + element + " and these lines.\n    " + exception + frames;
    }
}
