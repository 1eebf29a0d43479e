package io.psf.processor.schema;

import io.psf.processor.model.FunctionModel;
import io.psf.processor.read.Message;
import io.psf.processor.read.Problems;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import javax.lang.model.element.Element;
import javax.lang.model.element.TypeElement;
import javax.lang.model.util.ElementFilter;
import org.jspecify.annotations.Nullable;

/**
 * Compares a function's schema with the committed schema, and reports the component that is incompatible with committed
 * versions.
 */
final class Evolution {
    private final Problems problems;

    /** Creates an evolution check that adds its findings to {@code problems}. */
    Evolution(Problems problems) {
        this.problems = problems;
    }

    /**
     * Compares version by version, and reports the first version that has changed.
     *
     * @param committed the schema's text, one for each version from 1 on
     * @param file the file in which it is committed, for messages
     */
    void check(TypeElement type, FunctionModel model, List<String> committed, String file) {
        List<String> now = model.schemas();
        for (int i = 0; i < committed.size(); i++) {
            String was = committed.get(i);
            String is = now.get(Math.min(i, now.size() - 1));
            if (!is.equals(was)) {
                Comparison comparison = new Comparison(type, i + 1, committed.size() + 1, file);
                comparison.compare(SchemaText.of(was), SchemaText.of(is));
                return;
            }
        }
        if (now.size() < committed.size()) {
            new Comparison(type, committed.size(), committed.size() + 1, file).report(type, "the version was removed");
        } else if (now.size() > committed.size()) {
            problems.add(type, Message.SCHEMA_GROWN, committed.size() + 1, model.name(), file);
        }
    }

    /**
     * Reports a function that was removed.
     *
     * @param where a function that its source declares now; null if there is none
     * @param source the source in which it was declared
     * @param file the file in which its schema is committed
     */
    void gone(@Nullable TypeElement where, String function, String source, String file) {
        problems.add(where, Message.SCHEMA_GONE, function, source, file);
    }

    private final class Comparison {
        private final TypeElement type;
        private final int version;
        private final int next;
        private final String file;
        private boolean reported;

        Comparison(TypeElement type, int version, int next, String file) {
            this.type = type;
            this.version = version;
            this.next = next;
            this.file = file;
        }

        void compare(SchemaText was, SchemaText is) {
            if (!was.head().equals(is.head())) {
                report(type, "\"" + is.head() + "\" was \"" + was.head() + "\"");
            }
            compare("Request", was.request(), is.request());
            compare("Response", was.response(), is.response());
            if (!was.tail().equals(is.tail())) {
                report(type, is.tail().isEmpty() ? "its own merge was removed" : "its own merge was added");
            }
            if (!reported) {
                report(type, "it has changed");
            }
        }

        private void compare(String tuple, Map<String, String> was, Map<String, String> is) {
            String of = " of the " + tuple.toLowerCase(Locale.ROOT);
            was.forEach((name, text) -> {
                String now = is.get(name);
                if (now == null) {
                    report(element(tuple, name), "component " + name + of + " was removed");
                } else if (!now.equals(text)) {
                    report(element(tuple, name), "component " + name + of + " is " + now + ", was " + text);
                }
            });
            is.forEach((name, text) -> {
                if (!was.containsKey(name)) {
                    report(element(tuple, name), "component " + name + of + " was added");
                }
            });
            if (was.equals(is) && !List.copyOf(was.keySet()).equals(List.copyOf(is.keySet()))) {
                report(
                        element(tuple, ""),
                        "components" + of + " changed their order, were " + String.join(", ", was.keySet()));
            }
        }

        void report(Element where, String what) {
            reported = true;
            problems.add(where, Message.SCHEMA_BROKEN, what, version, file, next);
        }

        /** Returns the field of a component, or the component's tuple if it has no such field. */
        private Element element(String tuple, String name) {
            for (TypeElement nested : ElementFilter.typesIn(type.getEnclosedElements())) {
                if (nested.getSimpleName().contentEquals(tuple)) {
                    return ElementFilter.fieldsIn(nested.getEnclosedElements()).stream()
                            .filter(field -> field.getSimpleName().contentEquals(name))
                            .map(Element.class::cast)
                            .findFirst()
                            .orElse(nested);
                }
            }
            return type;
        }
    }
}
