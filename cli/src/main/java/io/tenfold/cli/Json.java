package io.tenfold.cli;

import java.io.PrintStream;
import java.io.StringWriter;
import java.util.LinkedHashMap;
import java.util.Map;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

/**
 * Writes strict JSON from maps, lists, strings, numbers, booleans and null. Only Jackson's generator is used: binding
 * classes to JSON would cost every short command its start.
 */
final class Json {
    private static final JsonFactory FACTORY = new JsonFactory();

    private Json() {}

    /** An object of names and values, in order. */
    static Map<String, Object> object(Object... namesAndValues) {
        Map<String, Object> object = new LinkedHashMap<>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            Object old = object.put((String) namesAndValues[i], namesAndValues[i + 1]);
            assert old == null : "name given twice: " + namesAndValues[i];
        }
        return object;
    }

    /** Prints one value and a line end. */
    static void print(PrintStream to, Object value) {
        to.println(text(value));
    }

    /** The value on one line. */
    static String text(Object value) {
        StringWriter text = new StringWriter();
        try (JsonGenerator generator = FACTORY.createGenerator(ObjectWriteContext.empty(), text)) {
            write(generator, value);
        }
        return text.toString();
    }

    private static void write(JsonGenerator to, Object value) {
        switch (value) {
            case null -> to.writeNull();
            case Map<?, ?> object -> {
                to.writeStartObject();
                object.forEach((name, member) -> {
                    to.writeName((String) name);
                    write(to, member);
                });
                to.writeEndObject();
            }
            case Iterable<?> array -> {
                to.writeStartArray();
                array.forEach(element -> write(to, element));
                to.writeEndArray();
            }
            case Integer number -> to.writeNumber(number);
            case Long number -> to.writeNumber(number);
            case Double number when Double.isFinite(number) -> to.writeNumber(number);
            case Boolean truth -> to.writeBoolean(truth);
            case String text -> to.writeString(text);
            default -> throw new IllegalArgumentException("no JSON form: class=" + value.getClass());
        }
    }
}
