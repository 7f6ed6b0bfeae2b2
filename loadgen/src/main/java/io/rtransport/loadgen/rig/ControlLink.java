package io.rtransport.loadgen.rig;

import io.rtransport.command.CommandFailure;
import io.rtransport.core.json.Json;
import io.rtransport.core.json.JsonException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * TCP connection between client and server of a run: one JSON object for each line, one question
 * and answer at a time.
 */
final class ControlLink implements AutoCloseable {
  private static final int LINE_CHARS_MAX = 1 << 20;

  private final Socket socket;
  private final BufferedReader in;
  private final OutputStream out;

  ControlLink(Socket socket) throws IOException {
    this.socket = socket;
    socket.setTcpNoDelay(true);
    in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
    out = socket.getOutputStream();
  }

  /** Asks and waits for the answer. */
  Map<String, Object> ask(String verb, Object value) throws IOException {
    tell(verb, value);
    return answer();
  }

  /** Asks. {@link #answer} must be called next. */
  void tell(String verb, Object value) throws IOException {
    Map<String, Object> question = new LinkedHashMap<>();
    question.put("verb", verb);
    question.put("value", value);
    write(question);
  }

  /** Waits for the answer to the last question. */
  Map<String, Object> answer() throws IOException {
    Map<String, Object> answer = read();
    if (answer == null) {
      throw new CommandFailure("the server ended the run");
    }
    if (answer.get("error") instanceof String error) {
      throw new CommandFailure("the server says: " + error);
    }
    return answer;
  }

  void write(Map<String, Object> object) throws IOException {
    out.write((Json.write(object) + "\n").getBytes(StandardCharsets.UTF_8));
    out.flush();
  }

  /** Returns the next object, or null at the end. */
  @SuppressWarnings("unchecked") // keys of JSON objects are strings
  Map<String, Object> read() throws IOException {
    StringBuilder line = new StringBuilder();
    for (int c = in.read(); c != '\n'; c = in.read()) {
      if (c < 0) {
        return null;
      }
      if (line.length() == LINE_CHARS_MAX) {
        throw new IOException("a control line of more than " + LINE_CHARS_MAX + " characters");
      }
      line.append((char) c);
    }
    try {
      if (Json.parse(line) instanceof Map<?, ?> map) {
        return (Map<String, Object>) map;
      }
    } catch (JsonException e) {
      throw new IOException("a control line that is not JSON", e);
    }
    throw new IOException("a control line that is not an object");
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
