package io.psf.cli;

import java.util.HashMap;
import java.util.Map;
import jdk.jshell.execution.LoaderDelegate;
import jdk.jshell.execution.LocalExecutionControl;
import jdk.jshell.spi.ExecutionControl;
import jdk.jshell.spi.ExecutionControl.ClassBytecodes;
import jdk.jshell.spi.ExecutionControl.ClassInstallException;
import jdk.jshell.spi.ExecutionControlProvider;
import jdk.jshell.spi.ExecutionEnv;
import org.jspecify.annotations.Nullable;

/**
 * Executes the snippets of {@code psf shell} in this JVM, where the worker is. Snippets see the classes of the thread's
 * context class loader: jshell's own {@code local} execution has this JVM's class path alone. Found by jshell as a
 * service.
 */
public final class ShellExecution implements ExecutionControlProvider {
    static final String NAME = "psf";

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public ExecutionControl generate(ExecutionEnv env, Map<String, String> parameters) {
        return new LocalExecutionControl(
                new Delegate(new Snippets(Thread.currentThread().getContextClassLoader())));
    }

    /** The classes of the snippets. */
    private static final class Snippets extends ClassLoader {
        private final Map<String, byte[]> declared = new HashMap<>();

        Snippets(@Nullable ClassLoader parent) {
            super(parent);
        }

        synchronized void declare(ClassBytecodes bytes) {
            declared.put(bytes.name(), bytes.bytecodes());
        }

        @Override
        protected synchronized Class<?> findClass(String name) throws ClassNotFoundException {
            byte[] bytes = declared.get(name);
            if (bytes == null) {
                throw new ClassNotFoundException(name);
            }
            return defineClass(name, bytes, 0, bytes.length);
        }
    }

    private record Delegate(Snippets snippets) implements LoaderDelegate {
        @Override
        public void load(ClassBytecodes[] classes) throws ClassInstallException {
            boolean[] loaded = new boolean[classes.length];
            for (ClassBytecodes each : classes) {
                snippets.declare(each);
            }
            for (int i = 0; i < classes.length; i++) {
                try {
                    var unused = snippets.loadClass(classes[i].name()).getDeclaredMethods(); // links it
                } catch (ClassNotFoundException | LinkageError e) {
                    throw new ClassInstallException("load: " + e, loaded);
                }
                loaded[i] = true;
            }
        }

        @Override
        public void classesRedefined(ClassBytecodes[] classes) {
            for (ClassBytecodes each : classes) {
                snippets.declare(each);
            }
        }

        /** Does nothing: the class path of the shell is its option. */
        @Override
        public void addToClasspath(String path) {}

        @Override
        public Class<?> findClass(String name) throws ClassNotFoundException {
            return snippets.loadClass(name);
        }
    }
}
