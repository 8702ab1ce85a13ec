package io.github.gramian.serve.protocol.internal;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.exc.InputCoercionException;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.core.io.JsonEOFException;
import java.io.IOException;

/**
 * Steps through untrusted JSON without building a tree of it, which would take many times its size. Unexpected content
 * is refused with the name of the field.
 */
final class JsonReader implements AutoCloseable {

    private static final int MAX_DEPTH = 32;
    private static final int MAX_NUMBER = 64;
    private static final int MAX_NAME = 1024;

    private static final JsonFactory FACTORY = JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(MAX_DEPTH)
                    .maxNumberLength(MAX_NUMBER)
                    .maxNameLength(MAX_NAME)
                    .maxStringLength(Integer.MAX_VALUE) // no string is longer than the request, which has its limit
                    .build())
            .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
            .build();

    private final JsonParser parser;

    private JsonReader(JsonParser parser) {
        this.parser = parser;
    }

    static JsonReader of(byte[] bytes, int offset, int length) throws IOException {
        return new JsonReader(FACTORY.createParser(bytes, offset, length));
    }

    /** Why JSON cannot be read, in a sentence of ours: Jackson's own advise to change the server, and repeat what was sent. */
    static String sentence(IOException failure) {
        if (failure instanceof JsonEOFException) {
            return "the JSON ends too early";
        }
        if (failure instanceof StreamConstraintsException) {
            return "the JSON is nested more than " + MAX_DEPTH + " levels deep, or has a number of more than "
                    + MAX_NUMBER + " characters or a name of more than " + MAX_NAME;
        }
        if (failure instanceof InputCoercionException) {
            return "the JSON has a number outside the range of its field";
        }
        JsonLocation place = failure instanceof JacksonException wrong ? wrong.getLocation() : null;
        return place == null
                ? "the JSON is not valid"
                : "the JSON is not valid near line " + place.getLineNr() + ", column " + place.getColumnNr();
    }

    /** Reads a field whose value comes next. */
    interface Field {
        void read(String name) throws IOException;
    }

    /** Reads the current element. */
    interface Element {
        void read() throws IOException;
    }

    /** Reads the whole document, which is one object. */
    void document(Field fields) throws IOException {
        parser.nextToken();
        object("the request", fields);
        if (parser.nextToken() != null) {
            throw RequestException.malformed("there is something after the JSON object");
        }
    }

    /** Reads the object that the reader stands on. */
    void object(String what, Field fields) throws IOException {
        require(JsonToken.START_OBJECT, what + " must be an object");
        for (String name = parser.nextFieldName(); name != null; name = parser.nextFieldName()) {
            parser.nextToken();
            fields.read(name);
        }
    }

    /** Reads the array that the reader stands on. */
    void array(String what, Element element) throws IOException {
        require(JsonToken.START_ARRAY, what + " must be an array");
        while (parser.nextToken() != JsonToken.END_ARRAY) {
            if (parser.currentToken() == null) {
                throw RequestException.malformed("the JSON ends too early");
            }
            element.read();
        }
    }

    String text(String what) throws IOException {
        require(JsonToken.VALUE_STRING, what + " must be a string");
        return parser.getText();
    }

    long whole(String what) throws IOException {
        require(JsonToken.VALUE_NUMBER_INT, what + " must be a whole number");
        if (parser.getNumberType() == JsonParser.NumberType.BIG_INTEGER) {
            throw RequestException.malformed(what + " is too large a number");
        }
        return parser.getLongValue();
    }

    double number(String what) throws IOException {
        if (parser.currentToken() != JsonToken.VALUE_NUMBER_FLOAT) {
            require(JsonToken.VALUE_NUMBER_INT, what + " must be a number");
        }
        return parser.getDoubleValue();
    }

    boolean yes(String what) {
        if (parser.currentToken() != JsonToken.VALUE_TRUE && parser.currentToken() != JsonToken.VALUE_FALSE) {
            throw RequestException.malformed(what + " must be true or false");
        }
        return parser.currentToken() == JsonToken.VALUE_TRUE;
    }

    void skip() throws IOException {
        parser.skipChildren();
    }

    /** Data of a tensor, nested as its shape is or flat: numbers and strings row by row. */
    void data(FloatValues values, StringElement strings) throws IOException {
        require(JsonToken.START_ARRAY, "data must be an array");
        int depth = 1;
        while (depth > 0) {
            JsonToken token = parser.nextToken();
            if (token == null) {
                throw RequestException.malformed("the JSON ends too early");
            }
            switch (token) {
                case START_ARRAY -> depth++;
                case END_ARRAY -> depth--;
                case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> values.add(parser.getFloatValue());
                case VALUE_STRING -> strings.add(parser.getText());
                default -> throw RequestException.malformed("data must hold numbers or strings");
            }
        }
    }

    /** Receives a string. */
    interface StringElement {
        void add(String string);
    }

    private void require(JsonToken wanted, String otherwise) {
        if (parser.currentToken() != wanted) {
            throw RequestException.malformed(otherwise);
        }
    }

    @Override
    public void close() throws IOException {
        parser.close();
    }
}
