import com.sun.net.httpserver.HttpServer;
import java.net.InetSocketAddress;
import java.net.URI;
import java.sql.*;

public class Claim {
  static final String FREE =
      "SELECT capacity - (SELECT count(*) FROM job_claims WHERE job_id = jobs.id) AS free"
          + " FROM jobs WHERE id = ?";

  static int claim(Connection db, long job, long recruiter) throws SQLException {
    db.setAutoCommit(false);
    // THE LOCK: the next claim of this job waits here.
    run(db, "SELECT FROM jobs WHERE id = ? FOR UPDATE", job);
    ResultSet row = run(db, FREE, job).getResultSet();
    row.next();
    if (row.getInt(1) <= 0) return 403;
    run(db, "INSERT INTO job_claims (job_id, recruiter_id) VALUES (?, ?)", job, recruiter);
    db.commit();
    return 200;
  }

  static Statement run(Connection db, String sql, long... values) throws SQLException {
    PreparedStatement statement = db.prepareStatement(sql);
    for (int i = 0; i < values.length; i++) statement.setLong(i + 1, values[i]);
    statement.execute();
    return statement;
  }

  /** JDBC takes the user and the password apart from the address. */
  static Connection connect() throws SQLException {
    URI url = URI.create(System.getenv("DATABASE_URL"));
    String[] user = url.getUserInfo().split(":");
    String address = "jdbc:postgresql://" + url.getAuthority().split("@")[1] + url.getPath();
    return DriverManager.getConnection(address, user[0], user[1]);
  }

  public static void main(String[] args) throws Exception {
    int port = Integer.parseInt(System.getenv("PORT"));
    HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", port), 0);
    server.createContext("/claim-job", exchange -> {
      String[] query = exchange.getRequestURI().getQuery().split("[=&]"); // jobId=1&recruiterId=2
      try (Connection db = connect()) {
        int status = claim(db, Long.parseLong(query[1]), Long.parseLong(query[3]));
        exchange.sendResponseHeaders(status, -1);
      } catch (SQLException error) {
        throw new RuntimeException(error);
      }
    });
    server.start();
  }
}
