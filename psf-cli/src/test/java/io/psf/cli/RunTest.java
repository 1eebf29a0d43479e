package io.psf.cli;

import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import org.junit.jupiter.api.Test;

/** Runs the tests of a class as JUnit would, in a JVM of its own or in this one. */
final class RunTest {
    private RunTest() {}

    /** Runs the class that the argument names, and prints the number of its tests. */
    public static void main(String[] arguments) throws ReflectiveOperationException {
        System.out.println(run(Class.forName(arguments[0])) + " tests");
    }

    static int run(Class<?> type) throws ReflectiveOperationException {
        Constructor<?> constructor = type.getDeclaredConstructor();
        constructor.setAccessible(true);
        int tests = 0;
        for (Method method : type.getDeclaredMethods()) {
            if (method.isAnnotationPresent(Test.class)) {
                method.setAccessible(true);
                method.invoke(constructor.newInstance());
                tests++;
            }
        }
        return tests;
    }
}
