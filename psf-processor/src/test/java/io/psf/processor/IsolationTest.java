package io.psf.processor;

import static com.google.testing.compile.Compiler.javac;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.testing.compile.Compilation;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import javax.annotation.processing.AbstractProcessor;
import javax.annotation.processing.Filer;
import javax.annotation.processing.ProcessingEnvironment;
import javax.annotation.processing.RoundEnvironment;
import javax.lang.model.SourceVersion;
import javax.lang.model.element.Element;
import javax.lang.model.element.TypeElement;
import javax.tools.JavaFileObject;
import org.junit.jupiter.api.Test;

/** Gradle compiles incrementally with processors each of whose files comes of one element, told when it is made. */
final class IsolationTest {
    private final List<String> files = new ArrayList<>();

    @Test
    void everyFileComesOfOneElementAlone() {
        Compilation compilation = javac().withProcessors(new Watched(), new ServicesProcessor())
                .compile(Fixtures.in("good").stream().map(Fixtures::source).toArray(JavaFileObject[]::new));
        assertThat(compilation.errors()).isEmpty();
        assertThat(files).hasSizeGreaterThan(20).allMatch(each -> each.startsWith("createSourceFile 1 "), "one origin");
    }

    /** The processor, seen making files. */
    private final class Watched extends AbstractProcessor {
        private final PsfProcessor inner = new PsfProcessor();

        @Override
        public synchronized void init(ProcessingEnvironment environment) {
            Filer filer = watched(Filer.class, environment.getFiler());
            inner.init((ProcessingEnvironment) Proxy.newProxyInstance(
                    getClass().getClassLoader(),
                    new Class<?>[] {ProcessingEnvironment.class},
                    (proxy, method, arguments) ->
                            method.getName().equals("getFiler") ? filer : invoke(method, environment, arguments)));
        }

        private <T> T watched(Class<T> type, T of) {
            InvocationHandler handler = (proxy, method, arguments) -> {
                if (method.getName().startsWith("create")) {
                    Element[] origins = (Element[]) arguments[arguments.length - 1];
                    files.add(method.getName() + " " + origins.length + " " + arguments[0]);
                }
                return invoke(method, of, arguments);
            };
            return type.cast(Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] {type}, handler));
        }

        private Object invoke(Method method, Object of, Object[] arguments) throws Throwable {
            try {
                return method.invoke(of, arguments);
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        }

        @Override
        public Set<String> getSupportedAnnotationTypes() {
            return inner.getSupportedAnnotationTypes();
        }

        @Override
        public SourceVersion getSupportedSourceVersion() {
            return inner.getSupportedSourceVersion();
        }

        @Override
        public boolean process(Set<? extends TypeElement> annotations, RoundEnvironment round) {
            inner.process(annotations, round);
            return false;
        }
    }
}
